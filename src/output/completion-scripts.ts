/** A shell that can complete `sms`. */
export type Shell = "bash" | "zsh" | "fish";

/** Printed in place of candidates: the shell offers its own file names. No candidate begins with a tab. */
export const fileLine = "\tfile\n";

/** The script for each shell. It only asks `sms completion candidates`, so new commands do not change it. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  // bash inserts COMPREPLY verbatim, so the script quotes special characters.
  bash: `_sms() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $'\\tfile' ]]; then
      compopt -o default 2>/dev/null
    else
      printf -v word %q "\${line%%$'\\t'*}"
      COMPREPLY+=("$word")
    fi
  done < <(sms completion candidates -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sms sms
`,
  zsh: `#compdef sms
_sms() {
  local line word summary
  local -a candidates
  for line in "\${(@f)$(sms completion candidates -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == $'\\tfile' ]]; then
      compset -P '--*='
      _files
      return
    fi
    [[ -n $line ]] || continue
    word=\${line%%$'\\t'*}
    word=\${word//\\\\/\\\\\\\\}
    summary=\${line#*$'\\t'}
    candidates+=("\${word//:/\\\\:}\${summary:+:$summary}")
  done
  _describe sms candidates
}
if [[ \${funcstack[1]} == _sms ]]; then _sms "$@"; else compdef _sms sms; fi
`,
  fish: `function __sms_candidates
    set --local typed (commandline --current-token)
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    set --local found (sms completion candidates -- $words[2..] "$typed" 2>/dev/null)
    if test "$found" = \\tfile
        __fish_complete_path "$typed"
    else
        printf '%s\\n' $found
    end
end
complete --command sms --no-files --arguments '(__sms_candidates)'
`,
};

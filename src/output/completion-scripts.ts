/** The shells that can be taught to complete `sms`. */
export const shells = ["bash", "zsh", "fish"] as const;

/** A shell that can be taught to complete `sms`. */
export type Shell = (typeof shells)[number];

/**
 * The line in place of candidates by which a shell is asked for its own file names. No candidate can look so: one stands
 * in front of its tab.
 */
export const fileLine = "\tfile\n";

/**
 * What teaches a shell to complete `sms`. A script only carries words to `sms completion candidates` and back, so that
 * it need not be made anew when `sms` learns something.
 */
export const completionScripts: Readonly<Record<Shell, string>> = {
  // COMPREPLY is inserted as it stands, so what the shell would read otherwise is quoted here.
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
  local line
  local -a candidates
  for line in "\${(@f)$(sms completion candidates -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == $'\\tfile' ]]; then
      compset -P '--*='
      _files
      return
    fi
    [[ -z $line ]] || candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
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

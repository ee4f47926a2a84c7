#compdef sms
_sms() {
  local line word summary
  local -a candidates
  for line in "${(@f)$(sms completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == $'\tfile' ]]; then
      compset -P '--*='
      _files
      return
    fi
    [[ -n $line ]] || continue
    word=${line%%$'\t'*}
    word=${word//\\/\\\\}
    summary=${line#*$'\t'}
    candidates+=("${word//:/\\:}${summary:+:$summary}")
  done
  _describe sms candidates
}
if [[ ${funcstack[1]} == _sms ]]; then _sms "$@"; else compdef _sms sms; fi

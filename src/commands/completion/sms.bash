_sms() {
  local line word
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  local typed=${COMP_LINE:0:COMP_POINT}
  typed=${typed##*[[:space:]]}
  # bash splits @oncall in two words.
  case $typed in
    @) words=("${COMP_WORDS[@]:1:COMP_CWORD-1}" "$typed") ;;
    @*) words=("${COMP_WORDS[@]:1:COMP_CWORD-2}" "$typed") ;;
  esac
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $'\tfile' ]]; then
      compopt -o default 2>/dev/null
    else
      word=${line%%$'\t'*}
      printf -v word %q "$word"
      COMPREPLY+=("$word")
    fi
  done < <(sms completion candidates -- "${words[@]}" 2>/dev/null)
}
complete -F _sms sms

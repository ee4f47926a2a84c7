function __sms_candidates
    set --local typed (commandline --current-token)
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    set --local found (sms completion candidates -- $words[2..] "$typed" 2>/dev/null)
    if test "$found" = \tfile
        __fish_complete_path "$typed"
    else
        printf '%s\n' $found
    end
end
complete --command sms --no-files --arguments '(__sms_candidates)'

package io.csi4j.shell;

import java.util.ArrayList;
import java.util.List;

/**
 * An option of a command that is the shell's own: it follows from the kind of the request.
 *
 * @param label the label of its value; empty for a flag
 */
record OwnOption(String name, String label, String description) {
    /** The option of each command that destroys. */
    static final OwnOption YES = new OwnOption("--yes", "", "Does not ask before it destroys.");

    static List<OwnOption> of(ApiCommand command) {
        List<OwnOption> options = new ArrayList<>();
        if (command.answer() == ApiCommand.Answer.PAGES) {
            options.add(new OwnOption("--limit", "N", "Ends after so many items; all if it is not set."));
        }
        if (command.waits()) {
            options.add(new OwnOption("--watch", "", "Shows it again when it changes, until Ctrl-C."));
        }
        if (command.parameters().stream().anyMatch(p -> p.place() == ApiParameter.Place.BODY)) {
            options.add(new OwnOption(
                    "--file",
                    "FILE",
                    "A file with the fields as an object in JSON; - is the input. Options come before it."));
        }
        if (command.destroys()) {
            options.add(YES);
        }
        if (command.acts()) {
            options.add(new OwnOption("--no-wait", "", "Does not wait until a long operation ends, but prints it."));
        }
        return options;
    }
}

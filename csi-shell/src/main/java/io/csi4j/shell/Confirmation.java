package io.csi4j.shell;

import java.io.IOException;

/** Asks a person before a command that destroys. */
final class Confirmation {
    private Confirmation() {}

    /**
     * Returns if the person at the terminal types yes.
     *
     * @param command the command with its arguments
     * @param effect sentences about its effect
     * @throws UsageException if there is no person
     * @throws FailedException if the answer is another one
     */
    static void ask(Terminal terminal, String command, String effect) throws FailedException {
        if (!terminal.inIsTerminal()) {
            throw new UsageException(
                    "'" + command + "' destroys, and there is no terminal to ask; repeat it with --yes");
        }
        terminal.out().flush();
        terminal.err().print(Text.safe(command + ": " + effect + " Type yes to do it: "));
        terminal.err().flush();
        try {
            String answer = terminal.in().readLine();
            if (answer == null || !answer.strip().equals("yes")) {
                throw new FailedException(Csi.FAILED, "not confirmed, so nothing was done");
            }
        } catch (IOException e) {
            throw new FailedException(Csi.FAILED, "no answer can be read, so nothing was done");
        }
    }
}

package io.csi4j.shell;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The shell of a host, with a command of its own, as docs/shell.md and the Javadoc show it. */
final class HostShell {
    private HostShell() {}

    @Command(name = "list", description = "Lists jobs.")
    static final class JobList implements Callable<Integer> {
        @Override
        public Integer call() {
            return 0;
        }
    }

    public static void main(String[] arguments) {
        System.exit(Csi.builder().command("job", new JobList()).build().run(arguments));
    }
}

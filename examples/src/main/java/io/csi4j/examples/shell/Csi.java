package io.csi4j.examples.shell;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The shell for operators: volumes, plugins, nodes and claims of a running scheduler. */
@Command(
        name = "csi",
        mixinStandardHelpOptions = true,
        subcommands = {
            VolumeCommands.class,
            SnapshotCommands.class,
            PluginCommands.class,
            NodeCommands.class,
            ClaimCommands.class,
            JobCommands.class,
            PeerCommands.class
        },
        description = "Shows and changes volumes, plugins, nodes and claims of 'examples/run scheduler'.",
        footer = "%nExit codes: 0 done, 1 failed, 2 wrong arguments, 3 no leading server answers.")
public final class Csi {
    static final int FAILED = 1;
    static final int UNREACHABLE = 3;

    private Csi() {}

    /**
     * Runs one command.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** Returns the commands of the shell, for programs that set their own output. */
    public static CommandLine commandLine() {
        return new CommandLine(new Csi());
    }
}

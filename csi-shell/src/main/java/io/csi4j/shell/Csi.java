package io.csi4j.shell;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * The shell for operators: its commands are the requests of the API of csi-admin, and it works with every host that serves
 * it. A program may add commands of its own:
 *
 * <pre>{@code
 * System.exit(Csi.builder().command("job", new JobList()).build().run(arguments));
 * }</pre>
 */
public final class Csi {
    /** The exit code of a command that did not do its work. */
    public static final int FAILED = 1;

    /** The exit code of wrong arguments. */
    public static final int USAGE = 2;

    /** The exit code if no leading server answers. */
    public static final int UNREACHABLE = 3;

    private final List<Addition> additions;
    private final List<ApiCommand> commands;
    private final Supplier<ShellContext> contextSource;

    /** A command of a program, below a word or, with an empty one, at the top. */
    record Addition(String group, Object command, boolean destroys) {}

    /** @param commands the requests of the API */
    Csi(List<Addition> additions, List<ApiCommand> commands) {
        this(additions, commands, () -> ShellContext.system(System.getenv()));
    }

    private Csi(List<Addition> additions, List<ApiCommand> commands, Supplier<ShellContext> contextSource) {
        this.additions = additions;
        this.commands = commands;
        this.contextSource = contextSource;
    }

    /**
     * Runs one command and ends the process.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(builder().build().run(arguments));
    }

    /** Returns a builder. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Runs one command.
     *
     * @return the exit code
     */
    public int run(String... arguments) {
        // The codec of the HTTP client needs no direct memory.
        System.setProperty("io.netty.noUnsafe", "true");
        return run(contextSource.get(), arguments);
    }

    int run(ShellContext context, String... arguments) {
        CommandLine line = commandLine(context);
        line.setOut(context.terminal().out());
        line.setErr(context.terminal().err());
        int code = line.execute(arguments);
        context.terminal().out().flush();
        context.terminal().err().flush();
        return code;
    }

    CommandLine commandLine(ShellContext context) {
        CommandSpec root = new CommandTree(context).root(commands);
        CommandLine line = new CommandLine(root);
        for (Addition addition : additions) {
            CommandLine parent =
                    addition.group().isEmpty() ? line : line.getSubcommands().get(addition.group());
            if (parent == null) {
                parent = new CommandLine(CommandTree.group(addition.group()));
                line.addSubcommand(addition.group(), parent);
            }
            CommandLine own = new CommandLine(addition.command());
            if (addition.destroys()) {
                own.getCommandSpec().addOption(CommandTree.option(OwnOption.YES));
            }
            parent.addSubcommand(own);
        }
        line.setExecutionStrategy(parsed -> execute(context, parsed));
        return CommandTree.configured(line, context);
    }

    /** Runs the last command; asks before one of a program that destroys. The shell's own commands ask themselves. */
    private int execute(ShellContext context, ParseResult parsed) {
        ParseResult last = parsed;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        Object command = last.commandSpec().userObject();
        boolean asks = additions.stream()
                        .anyMatch(one -> one.destroys() && one.command().equals(command))
                && !last.isUsageHelpRequested()
                && !last.isVersionHelpRequested()
                && !last.hasMatchedOption(OwnOption.YES.name());
        try {
            if (asks) {
                CommandSpec spec = last.commandSpec();
                String shown = Stream.concat(
                                Stream.of(spec.qualifiedName(" ")),
                                last.matchedPositionals().stream()
                                        .flatMap(positional -> positional.stringValues().stream()))
                        .collect(Collectors.joining(" "));
                Confirmation.ask(
                        context.terminal(),
                        shown,
                        String.join(" ", spec.usageMessage().description()));
            }
            return new CommandLine.RunLast().execute(parsed);
        } catch (UsageException e) {
            context.terminal().note("csi: " + Text.safe(String.valueOf(e.getMessage())));
            return USAGE;
        } catch (FailedException e) {
            context.terminal().note("csi: " + e.getMessage());
            return e.code();
        }
    }

    /** Builds {@link Csi}s. Not thread-safe. */
    public static final class Builder {
        private final List<Addition> additions = new ArrayList<>();
        private Map<String, String> environment = System.getenv();
        private @Nullable PrintWriter out;
        private @Nullable PrintWriter err;

        private Builder() {}

        /**
         * Sets the variables, for a program that knows the addresses of its servers.
         *
         * @param environment all variables, for example {@code CSI_ADDRESS}; if not set, those of the process
         */
        public Builder environment(Map<String, String> environment) {
            this.environment = Map.copyOf(environment);
            return this;
        }

        /**
         * Prints elsewhere than on the streams of the process, for a program that reads what the commands print. It is asked
         * nothing, so what destroys needs {@code --yes}.
         *
         * @param out receives the answers; with {@code --json}, one value
         * @param err receives the progress and the failures
         */
        public Builder output(PrintWriter out, PrintWriter err) {
            this.out = Objects.requireNonNull(out, "out");
            this.err = Objects.requireNonNull(err, "err");
            return this;
        }

        /**
         * Adds a command.
         *
         * @param command a command of picocli, with its name in its annotation
         */
        public Builder command(Object command) {
            return command("", command);
        }

        /**
         * Adds a command below a word, which may be one of the shell's own, for example {@code drain} below {@code node}.
         *
         * @param group the word
         * @param command a command of picocli, with its name in its annotation
         */
        public Builder command(String group, Object command) {
            return add(group, command, false);
        }

        /**
         * Adds a command that destroys: the shell asks before it, unless {@code --yes} is there, which it adds to the
         * options. Without a terminal and without {@code --yes}, the command does not run, and the exit code is {@link #USAGE}; after another answer
         * than yes it is {@link #FAILED}.
         *
         * @param group the word below which it stands, or the empty string
         * @param command a command of picocli, with its name and a description of its effect in its annotation
         */
        public Builder destroyingCommand(String group, Object command) {
            return add(group, command, true);
        }

        private Builder add(String group, Object command, boolean destroys) {
            additions.add(new Addition(
                    Objects.requireNonNull(group, "group"), Objects.requireNonNull(command, "command"), destroys));
            return this;
        }

        public Csi build() {
            Map<String, String> variables = environment;
            PrintWriter answers = out;
            PrintWriter notes = err;
            return new Csi(
                    List.copyOf(additions),
                    ApiDescription.bundled(),
                    () -> answers == null || notes == null
                            ? ShellContext.system(variables)
                            : ShellContext.program(answers, notes, variables));
        }
    }
}

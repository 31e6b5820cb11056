package io.csi4j.shell;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Makes the commands of picocli from those of the API. */
final class CommandTree {
    private final ShellContext context;
    private final GlobalOptions before = new GlobalOptions();

    CommandTree(ShellContext context) {
        this.context = context;
    }

    /** Commands with the same first words. */
    private static final class Node {
        private final Map<String, Node> children = new LinkedHashMap<>();
        private @Nullable ApiCommand command;
    }

    /** Returns the program with its commands. */
    CommandSpec root(List<ApiCommand> commands) {
        Node top = new Node();
        for (ApiCommand command : commands) {
            Node node = top;
            for (String word : command.words()) {
                node = node.children.computeIfAbsent(word, missing -> new Node());
            }
            if (node.command != null) {
                throw new IllegalStateException("two endpoints have the command " + command.name());
            }
            node.command = command;
        }
        CommandSpec root = CommandSpec.create().name("csi");
        root.usageMessage()
                .description("Shows and changes the volumes, claims, nodes and plugins of a host of csi4j.")
                .footer("%nExit codes: 0 done, 1 failed, 2 wrong arguments, 3 no leading server answers.");
        addHelp(root);
        root.addOption(OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Shows the version.")
                .build());
        root.version("csi " + version());
        root.addMixin("global", CommandSpec.forAnnotatedObject(before));
        top.children.forEach((word, node) -> root.addSubcommand(word, spec(word, node)));
        root.addSubcommand("completion", completion());
        root.addSubcommand("man", man(commands));
        return root;
    }

    private static String version() {
        String version = CommandTree.class.getPackage().getImplementationVersion();
        return version == null ? "of a build without jar" : version;
    }

    /** Sets how a program answers to wrong arguments. */
    static CommandLine configured(CommandLine line, ShellContext context) {
        line.setColorScheme(CommandLine.Help.defaultColorScheme(
                context.terminal().colors() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
        line.setParameterExceptionHandler((failure, arguments) -> {
            CommandLine command = failure.getCommandLine();
            context.terminal().note("csi: " + Text.safe(String.valueOf(failure.getMessage())));
            context.terminal().note("See '" + command.getCommandSpec().qualifiedName(" ") + " --help'.");
            return Csi.USAGE;
        });
        return line;
    }

    private CommandSpec spec(String word, Node node) {
        ApiCommand command = node.command;
        CommandSpec spec;
        if (command == null) {
            spec = group(word);
        } else {
            RequestCommand request = new RequestCommand(command, before, context);
            spec = CommandSpec.wrapWithoutInspection((Callable<Integer>) request::call);
            describe(spec, command, request);
        }
        spec.name(word);
        node.children.forEach((child, below) -> spec.addSubcommand(child, spec(child, below)));
        return spec;
    }

    /** Returns the first word of some commands. */
    static CommandSpec group(String word) {
        CommandSpec spec = CommandSpec.create().name(word);
        spec.usageMessage().description(escaped("The commands " + word + " ..."));
        addHelp(spec);
        return spec;
    }

    private static void describe(CommandSpec spec, ApiCommand command, RequestCommand request) {
        addHelp(spec);
        spec.usageMessage().header(escaped(command.summary() + "."));
        if (!command.description().isEmpty()) {
            spec.usageMessage().description(escaped(command.description()));
        }
        if (!command.permission().isEmpty()) {
            spec.usageMessage().footer("%nNeeds " + escaped(command.permission()) + ".");
        }
        int position = 0;
        for (Argument argument : request.arguments()) {
            if (argument.place() == ApiParameter.Place.PATH) {
                spec.addPositional(PositionalParamSpec.builder()
                        .index(Integer.toString(position++))
                        .arity("1")
                        .required(true)
                        .paramLabel(argument.label())
                        .description(escaped(argument.help()))
                        .type(String.class)
                        .build());
            } else {
                spec.addOption(option(argument));
            }
        }
        OwnOption.of(command).forEach(own -> spec.addOption(option(own)));
        spec.addMixin("global", CommandSpec.forAnnotatedObject(request.options()));
        request.spec(spec);
    }

    private static OptionSpec option(Argument argument) {
        OptionSpec.Builder option = OptionSpec.builder(argument.option())
                .paramLabel(argument.label())
                .description(escaped(argument.help()));
        if (argument.field().type() == ApiField.Type.FLAG) {
            option.type(String.class).arity("0..1").fallbackValue("true").paramLabel("true|false");
        } else if (argument.isRepeated()) {
            option.type(List.class).auxiliaryTypes(String.class).arity("1");
        } else {
            option.type(String.class).arity("1");
        }
        if (!argument.field().choices().isEmpty()) {
            option.completionCandidates(argument.field().choices());
        } else if (argument.field().type() == ApiField.Type.FLAG) {
            option.completionCandidates(List.of("true", "false"));
        }
        return option.build();
    }

    static OptionSpec option(OwnOption own) {
        OptionSpec.Builder option = OptionSpec.builder(own.name()).description(own.description());
        return own.label().isEmpty()
                ? option.type(boolean.class).arity("0").build()
                : option.type(String.class).arity("1").paramLabel(own.label()).build();
    }

    private static void addHelp(CommandSpec spec) {
        spec.usageMessage().sortOptions(false);
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Shows this text.")
                .build());
    }

    private CommandSpec completion() {
        CommandSpec[] holder = new CommandSpec[1];
        CommandSpec spec = CommandSpec.wrapWithoutInspection((Callable<Integer>) () -> {
            String shell = holder[0].commandLine().getParseResult().matchedPositionalValue(0, "");
            if (!shell.equals("bash") && !shell.equals("zsh")) {
                context.terminal().note("csi: there is completion for bash and zsh");
                return Csi.USAGE;
            }
            CommandLine root = holder[0].root().commandLine();
            context.terminal().out().print(picocli.AutoComplete.bash("csi", root));
            return CommandLine.ExitCode.OK;
        });
        holder[0] = spec;
        spec.name("completion");
        addHelp(spec);
        spec.usageMessage().description("Prints a script that completes commands: source <(csi completion bash).");
        spec.addPositional(PositionalParamSpec.builder()
                .index("0")
                .arity("1")
                .required(true)
                .paramLabel("SHELL")
                .description("bash or zsh")
                .type(String.class)
                .completionCandidates(List.of("bash", "zsh"))
                .build());
        return spec;
    }

    private CommandSpec man(List<ApiCommand> commands) {
        CommandSpec spec = CommandSpec.wrapWithoutInspection((Callable<Integer>) () -> {
            context.terminal().out().print(ManPage.of(commands, version()));
            return CommandLine.ExitCode.OK;
        });
        spec.name("man");
        addHelp(spec);
        spec.usageMessage().description("Prints the manual page: csi man | man -l -.");
        return spec;
    }

    /** Picocli formats descriptions. */
    private static String escaped(String text) {
        return text.replace("%", "%%").replace("@|", "@ |");
    }
}

package io.csi4j.shell;

import java.util.List;
import java.util.stream.Collectors;

/** The manual page of the shell in roff, made from the description of the API. */
final class ManPage {
    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    static String of(List<ApiCommand> commands, String version) {
        return new ManPage().write(commands, version);
    }

    private String write(List<ApiCommand> commands, String version) {
        page.append(".TH CSI 1 \"\" \"").append(escaped("csi4j " + version)).append("\" \"Commands of operators\"\n");
        section("NAME");
        text("csi - the shell for operators of csi4j");
        section("SYNOPSIS");
        page.append(".B csi\n.RI [ option .\\|.\\|.]\n.I command\n.RI [ argument .\\|.\\|.]\n");
        section("DESCRIPTION");
        text("csi shows and changes the volumes, claims, nodes and plugins of a host that serves the API of csi-admin."
                + " It prints tables and lines for people, or JSON.");
        section("COMMANDS");
        commands.forEach(this::command);
        section("OPTIONS");
        item(
                "--address ADDRESS",
                "A server: http://127.0.0.1:PORT, https://HOST:PORT or unix:PATH. Several are separated"
                        + " by commas; the next one is tried where one does not answer or does not lead.");
        item("--token-file FILE", "The file with your token.");
        item("--ca FILE", "The certificates in PEM that are trusted, instead of those of the system.");
        item("--timeout TIME", "How long an address or a new leader is waited for; 10s if it is not set.");
        item("--json", "Prints the JSON of the server.");
        item("--no-color", "Prints without colors.");
        section("ENVIRONMENT");
        item("CSI_ADDRESS, CSI_TOKEN, CSI_TOKEN_FILE, CSI_CA", "As the options. Options come before them.");
        item("CSI_CONFIG", "The file to read instead of ~/.config/csi/config.");
        item("NO_COLOR", "Prints without colors if it is not empty.");
        section("FILES");
        item("~/.config/csi/config", "Lines NAME = VALUE with the names address, token, token-file and ca.");
        section("EXIT STATUS");
        item("0", "Done.");
        item("1", "Failed; the message says why.");
        item("2", "Wrong arguments.");
        item("3", "No leading server answers.");
        item("130", "Ended by Ctrl-C. An operation continues.");
        return page.toString();
    }

    private void section(String name) {
        page.append(".SH ").append(name).append('\n');
    }

    private void text(String text) {
        // A line that begins with a full stop or an apostrophe would be a request of roff.
        String line = escaped(text).replace("\n", "\n\\&");
        page.append(line.startsWith(".") || line.startsWith("'") ? "\\&" : "")
                .append(line)
                .append('\n');
    }

    private void item(String name, String meaning) {
        page.append(".TP\n.B ").append(escaped(name)).append('\n');
        text(meaning);
    }

    private void command(ApiCommand command) {
        List<Argument> arguments = Argument.of(command);
        String positions = arguments.stream()
                .filter(argument -> argument.place() == ApiParameter.Place.PATH)
                .map(argument -> " " + argument.label())
                .collect(Collectors.joining());
        page.append(".SS ").append(escaped("csi " + command.name() + positions)).append('\n');
        text(command.summary() + "." + (command.description().isEmpty() ? "" : " " + command.description())
                + (command.permission().isEmpty() ? "" : " Needs " + command.permission() + "."));
        for (Argument argument : arguments) {
            String name = argument.place() == ApiParameter.Place.PATH
                    ? argument.label()
                    : argument.option() + (argument.field().type() == ApiField.Type.FLAG ? "" : " " + argument.label());
            item(name, argument.help());
        }
        OwnOption.of(command).forEach(own -> item((own.name() + " " + own.label()).strip(), own.description()));
    }

    private static String escaped(String text) {
        return Text.safe(text).replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
    }
}

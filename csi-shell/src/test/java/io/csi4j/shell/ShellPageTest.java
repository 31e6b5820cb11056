package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table of docs/shell.md, which follows from the description of the API. */
class ShellPageTest {
    private static final Path PAGE = Path.of("..", "docs", "shell.md");
    private static final String BEGIN = "<!-- commands: written by ShellPageTest -->\n";
    private static final String END = "<!-- end of commands -->\n";

    @Test
    void pageHasAllCommands() throws Exception {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        assertThat(end).isGreaterThanOrEqualTo(begin);
        String table = table(ApiDescription.bundled());
        if (Boolean.getBoolean("csi4j.docs.write")) {
            page = page.substring(0, begin) + table + page.substring(end);
            Files.writeString(PAGE, page);
        }
        assertThat(page.substring(begin, page.indexOf(END)))
                .as("docs/shell.md is out of date; write it with -Dcsi4j.docs.write=true")
                .isEqualTo(table);
    }

    private static String table(List<ApiCommand> commands) {
        return "\n| command | effect |\n|---|---|\n"
                + commands.stream()
                        .map(command -> "| `" + command.name() + words(command) + "` | " + command.summary()
                                + (command.destroys() ? "; asks first" : "") + " |\n")
                        .sorted()
                        .collect(Collectors.joining())
                + "\n";
    }

    private static String words(ApiCommand command) {
        return Argument.of(command).stream()
                .filter(argument -> argument.place() == ApiParameter.Place.PATH || argument.isRequired())
                .map(argument -> " "
                        + (argument.place() == ApiParameter.Place.PATH
                                ? argument.label()
                                : argument.option() + " " + argument.label()))
                .collect(Collectors.joining());
    }

    @Test
    void eachCommandHasHelpAndAPlaceInTheManual() {
        List<ApiCommand> commands = ApiDescription.bundled();
        assertThat(commands).isNotEmpty();
        String manual = ManPage.of(commands, "1");
        for (ApiCommand command : commands) {
            Shell shell = new Shell();
            String[] arguments = (command.name() + " --help").split(" ", -1);
            assertThat(shell.run(arguments)).as(command.name()).isZero();
            assertThat(shell.output()).as(command.name()).contains("csi " + command.name(), "--address");
            assertThat(manual).contains(".SS " + ("csi " + command.name()).replace("-", "\\-"));
        }
        Shell top = new Shell();
        assertThat(top.run("--help")).isZero();
        assertThat(top.output()).contains("0 done, 1 failed, 2 wrong arguments, 3 no leading server answers");
    }

    @Test
    void additionsOfAProgramStandBesideTheCommands() {
        Shell shell = new Shell();
        Csi csi = new Csi(
                List.of(new Csi.Addition("volume", new Extra(), false), new Csi.Addition("job", new Extra(), false)),
                ApiDescription.bundled());
        assertThat(csi.run(shell.context(), "volume", "extra")).isEqualTo(7);
        assertThat(csi.run(shell.context(), "job", "extra")).isEqualTo(7);
        assertThat(csi.run(shell.context(), "volume", "--help")).isZero();
        assertThat(shell.output()).contains("list ", "extra ");
        assertThat(csi.run(shell.context(), "completion", "bash")).isZero();
        assertThat(shell.output()).contains("_picocli_csi_job_extra");
    }

    @picocli.CommandLine.Command(name = "extra", description = "Of the program.")
    private static final class Extra implements java.util.concurrent.Callable<Integer> {
        @Override
        public Integer call() {
            return 7;
        }
    }
}

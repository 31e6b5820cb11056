package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Arguments of a command, and the request that they make. */
class RequestTest {
    private final Shell shell = Shell.ofThings();

    private FakeServer.Request requested(String... arguments) throws Exception {
        try (FakeServer server = FakeServer.of(FakeServer.json(200, "{}"))) {
            shell.environment.put("CSI_ADDRESS", server.address());
            assertThat(shell.run(arguments)).as(shell.errors()).isZero();
            return server.requests.get(0);
        }
    }

    @Test
    void argumentsAreFieldsOfTheRequest() throws Exception {
        FakeServer.Request request =
                requested(("thing create default a/b?c --plugin disk --capacity 10GiB --patience 5m --mode one-writer"
                                + " --parameter tier=a=b --parameter x= --tag one --tag two --mount.fs-type ext4"
                                + " --capability mode=many,count=2 --capability {\"count\":3} --thing-address here"
                                + " --dry-run --no-wait --idempotency-key mine")
                        .split(" ", -1));
        assertThat(request.line()).isEqualTo("PUT /v1/things/default/a%2Fb%3Fc?dryRun=true&wait=0 HTTP/1.1");
        assertThat(request.head().toLowerCase(java.util.Locale.ROOT))
                .contains("idempotency-key: mine\r\n", "content-type: application/json\r\n")
                .doesNotContain("authorization");
        assertThat(JsonParser.parseString(request.body()))
                .isEqualTo(JsonParser.parseString("{\"plugin\":\"disk\",\"capacityBytes\":10737418240,\"patience\":300,"
                        + "\"mode\":\"ONE_WRITER\",\"parameters\":{\"tier\":\"a=b\",\"x\":\"\"},\"address\":\"here\","
                        + "\"tags\":[\"one\",\"two\"],\"mount\":{\"fsType\":\"ext4\"},"
                        + "\"capabilities\":[{\"count\":2,\"mode\":\"MANY\"},{\"count\":3}]}"));
    }

    @Test
    void optionsComeBeforeTheFile() throws Exception {
        shell.input = "{\"plugin\":\"of-file\",\"tags\":[\"a\"],\"mount\":{\"other\":1}}";
        FakeServer.Request request =
                requested("thing", "create", "default", "a", "--file", "-", "--tag", "b", "--mount.fs-type", "xfs");
        assertThat(JsonParser.parseString(request.body()))
                .isEqualTo(JsonParser.parseString(
                        "{\"plugin\":\"of-file\",\"tags\":[\"b\"],\"mount\":{\"other\":1,\"fsType\":\"xfs\"}}"));
    }

    @Test
    void secretsComeFromAFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("secrets"), "# of the vendor\nuser=admin\npassword=a=b\n");
        FakeServer.Request request =
                requested("thing", "create", "default", "a", "--plugin", "disk", "--secrets-file", file.toString());
        assertThat(JsonParser.parseString(request.body()))
                .isEqualTo(JsonParser.parseString(
                        "{\"plugin\":\"disk\",\"secrets\":{\"user\":\"admin\",\"password\":\"a=b\"}}"));
    }

    @Test
    void globalOptionsMayStandBeforeTheCommand() throws Exception {
        try (FakeServer server = FakeServer.of(FakeServer.json(200, "{\"id\":\"a\"}"))) {
            assertThat(shell.run("--json", "--address", server.address(), "thing", "status", "default", "a"))
                    .isZero();
            assertThat(shell.output()).isEqualTo("{\"id\":\"a\"}\n");
        }
    }

    static Stream<Arguments> wrongArguments() {
        return Stream.of(
                Arguments.of("thing create default a", "--plugin is missing"),
                Arguments.of(
                        "thing create default .. --capacity big --mode some --dry-run=maybe",
                        "THING-ID cannot be '..'; --dry-run: 'maybe' is neither true nor false; --plugin is missing;"
                                + " --capacity: 'big' is not a size; give for example 10GiB, 500MB or 1048576; --mode:"
                                + " 'some' is none of ONE_WRITER, MANY"),
                Arguments.of("thing create default", "Missing required parameter: 'THING-ID'"),
                Arguments.of("thing create default .. --plugin disk", "THING-ID cannot be '..'"),
                Arguments.of("thing create default a --plugin disk --capacity big", "--capacity: 'big' is not a size"),
                Arguments.of("thing create default a --plugin disk --mode some", "'some' is none of ONE_WRITER, MANY"),
                Arguments.of("thing create default a --plugin disk --parameter tier", "'tier' is not NAME=VALUE"),
                Arguments.of(
                        "thing create default a --plugin disk --capability size=1", "none of its fields: mode, count"),
                Arguments.of(
                        "thing create default a --plugin disk --dry-run=maybe", "'maybe' is neither true nor false"),
                Arguments.of("thing create default a --plugin disk --idempotency-key \u00fc", "--idempotency-key:"),
                Arguments.of("thing create default a --file nowhere", "nowhere cannot be read"),
                Arguments.of("thing create default a --plugin disk --plugn x", "Unknown options: '--plugn'"),
                Arguments.of("thing list --limit 0", "--limit: '0' is not a number of at least 1"),
                Arguments.of("thing list --timeout soon", "'soon' is not a time"),
                Arguments.of("thing list --address ftp://a", "'ftp://a' is not an address"),
                Arguments.of("thing list --ca nowhere --address https://localhost:1", "nowhere cannot be read"),
                Arguments.of("thing list --token abc", "use --token-file FILE"),
                Arguments.of("thing lst", "Unmatched argument at index 1: 'lst'"),
                Arguments.of("thing", "Missing required subcommand"),
                Arguments.of("completion fish", "bash and zsh"));
    }

    @ParameterizedTest
    @MethodSource
    void wrongArguments(String arguments, String message) {
        shell.environment.put("CSI_ADDRESS", "localhost:1");
        assertThat(shell.run(Arrays.stream(arguments.split(" ", -1)).toArray(String[]::new)))
                .isEqualTo(Csi.USAGE);
        assertThat(shell.errors()).startsWith("csi: ").contains(message);
        assertThat(shell.output()).isEmpty();
    }

    @Test
    void tokenOfVariableIsSent() throws Exception {
        shell.environment.put("CSI_TOKEN", "abc");
        assertThat(requested("thing", "status", "default", "a").head().toLowerCase(java.util.Locale.ROOT))
                .contains("authorization: bearer abc\r\n");
    }

    @Test
    void destroyingCommandAsks() throws Exception {
        try (FakeServer server = FakeServer.of(FakeServer.json(200, "{}"))) {
            shell.environment.put("CSI_ADDRESS", server.address());
            String[] delete = {"thing", "delete", "default", "a"};
            assertThat(shell.run(delete)).isEqualTo(Csi.USAGE);
            assertThat(shell.errors()).contains("'csi thing delete default a' destroys", "repeat it with --yes");
            shell.inIsTerminal = true;
            for (String no : new String[] {"", "y\n", "no\nyes\n"}) {
                shell.input = no;
                assertThat(shell.run(delete)).isEqualTo(Csi.FAILED);
            }
            assertThat(shell.errors()).contains("not confirmed, so nothing was done");
            assertThat(server.requests).isEmpty();
            shell.input = "yes\n";
            assertThat(shell.run(delete)).isZero();
            assertThat(shell.errors()).contains("csi thing delete default a: Delete a thing. Type yes to do it: ");
            shell.input = "no\n";
            assertThat(shell.run("thing", "delete", "default", "a", "--running", "--dry-run", "false"))
                    .isEqualTo(Csi.FAILED);
            assertThat(shell.errors())
                    .contains(
                            "csi thing delete default a --running: Delete a thing. Also if it runs. Type yes to do it: ");
            shell.inIsTerminal = false;
            assertThat(shell.run("thing", "delete", "default", "a", "--yes")).isZero();
            assertThat(shell.run("thing", "delete", "default", "a", "--dry-run"))
                    .isZero();
            assertThat(server.requests).hasSize(3);
            assertThat(shell.run("thing", "delete", "default", "a", "--dry-run", "false"))
                    .isEqualTo(Csi.USAGE);
        }
    }
}

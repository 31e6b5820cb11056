package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Encoded commands and outcomes, one on each line of a file: its name and its bytes. The file of a format never changes
 * once a release has written it. A new command or a new field gets a new format: raise {@code CommandCodec.FORMAT}, add
 * the value to {@link SampleCommands}, run this test, copy the file that it names to the resources, and add the number
 * of the format below. All older files stay and must decode to the same values.
 */
class CommandFilesTest {
    private static final String PRESENT = "1";

    private final CommandCodec codec = CommandCodecTest.codec(ClearTextSecretsCipher.secretsStayReadable());

    private static Map<String, byte[]> file(String format) throws IOException {
        Map<String, byte[]> lines = new LinkedHashMap<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(CommandFilesTest.class.getResourceAsStream(name(format)), name(format)),
                StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] parts = line.split(": ", 2);
                lines.put(parts[0], Base64.getDecoder().decode(parts[1]));
            }
        }
        return lines;
    }

    private static String name(String format) {
        return "command-format-" + format + ".base64";
    }

    @Test
    void sampleFilesContainEachTypeOfCommandAndOutcome() {
        assertThat(SampleCommands.commands().keySet()).containsAll(names(RandomValues.kinds(Command.class).stream()));
        assertThat(SampleCommands.outcomes().keySet())
                .containsAll(names(Stream.of(Effect.class, Rejection.class, Outcome.Accepted.class)
                        .flatMap(type -> RandomValues.kinds(type).stream())));
    }

    private static List<String> names(Stream<Class<?>> kinds) {
        return kinds.map(Class::getSimpleName).toList();
    }

    @Test
    void currentEncodingEqualsSampleFileOfCurrentFormat() throws IOException {
        Map<String, byte[]> encoded = new LinkedHashMap<>();
        SampleCommands.commands()
                .forEach((name, command) -> encoded.put("command " + name, codec.encodeCommand(command)));
        SampleCommands.outcomes()
                .forEach((name, outcome) -> encoded.put("outcome " + name, codec.encodeOutcome(outcome)));
        Path now = Path.of("target", name(PRESENT));
        Files.write(
                now,
                encoded.entrySet().stream()
                        .map(line -> line.getKey() + ": " + Base64.getEncoder().encodeToString(line.getValue()))
                        .toList());
        Map<String, byte[]> file = file(PRESENT);
        assertThat(new TreeSet<>(file.keySet()))
                .as("the present encoding is in %s", now.toAbsolutePath())
                .isEqualTo(new TreeSet<>(encoded.keySet()));
        encoded.forEach((name, bytes) -> assertThat(bytes)
                .as("%s; the present encoding is in %s", name, now.toAbsolutePath())
                .isEqualTo(file.get(name)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "1-before-call-targets",
                "1-before-ledgers",
                "1-before-machine-ids",
                "1-before-requested-claims",
                "1-before-access-tokens",
                "1-before-refused-creations",
                "1-before-volume-classes",
                "1-before-quotas",
                "1-before-templates",
                "1-before-lost-storage",
                "1-before-verifications",
                "1-before-plugin-profiles",
                "1-before-snapshots",
                "1-before-source-snapshots"
            })
    void fileOfEachFormatIsDecodedToItsValues(String format) throws IOException {
        Map<String, Command> commands = switch (format) {
            case PRESENT,
                    "1-before-access-tokens",
                    "1-before-refused-creations",
                    "1-before-volume-classes",
                    "1-before-quotas",
                    "1-before-templates",
                    "1-before-lost-storage",
                    "1-before-verifications",
                    "1-before-plugin-profiles",
                    "1-before-snapshots",
                    "1-before-source-snapshots" -> SampleCommands.commands();
            case "1-before-requested-claims" -> SampleCommands.commandsBeforeRequestedClaims();
            default -> SampleCommands.olderCommands();
        };
        Map<String, Outcome> outcomes = SampleCommands.outcomes();
        Map<String, byte[]> file = file(format);
        assertThat(file).isNotEmpty();
        file.forEach((line, bytes) -> {
            String name = line.substring(line.indexOf(' ') + 1);
            if (line.startsWith("command ")) {
                assertThat(codec.decodeCommand(bytes)).as(line).isEqualTo(commands.get(name));
            } else {
                assertThat(codec.decodeOutcome(bytes)).as(line).isEqualTo(outcomes.get(name));
            }
        });
    }
}

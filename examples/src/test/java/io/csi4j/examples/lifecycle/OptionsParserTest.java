package io.csi4j.examples.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountVolume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsParserTest {
    private static final String ENDPOINT = "--endpoint=unix:///run/x.sock";

    private static RunOptions parsed(String... args) {
        OptionsParser parser = new OptionsParser(List.of(args));
        return parser.parse().orElseThrow(() -> new AssertionError(parser.problems()));
    }

    private static List<String> problems(String... args) {
        OptionsParser parser = new OptionsParser(List.of(args));
        assertThat(parser.parse()).isEmpty();
        return parser.problems();
    }

    @Test
    void endpointAloneGivesDefaults() {
        RunOptions options = parsed("--endpoint", "/run/x.sock");

        assertThat(options.endpoint()).hasToString("unix:///run/x.sock");
        assertThat(options.split()).isFalse();
        assertThat(options.size()).isEqualTo(64L << 20);
        assertThat(options.volumeName()).matches("csi4j-lifecycle-[0-9a-f]{8}");
        assertThat(options.accessMode()).isEqualTo(AccessMode.SINGLE_NODE_WRITER);
        assertThat(options.capability().isBlock()).isFalse();
        assertThat(options.timeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(options.keep()).isFalse();
        assertThat(options.directory().getParent()).isEqualTo(Path.of(System.getProperty("java.io.tmpdir")));
        assertThat(options.directory().getFileName()).hasToString(options.volumeName());
    }

    @Test
    void allOptionsAreParsed(@TempDir Path directory) throws IOException {
        Path secrets = Files.writeString(
                directory.resolve("secrets"), "# who we are\n\n! and this\nuser = me\npassword=a=b\\c:d \n");

        RunOptions options = parsed(
                ENDPOINT,
                "--controller-endpoint=unix:///run/c.sock",
                "--work-dir=" + directory,
                "--volume-name=name",
                "--size=2Gi",
                "--access-mode=multi-node-multi-writer",
                "--fs-type=xfs",
                "--mount-flags=noatime,nodiratime",
                "--mount-flags",
                "discard",
                "--parameters=a=1,b=x\\,y",
                "--parameters",
                "c=d=e",
                "--mutable-parameters=iops=5",
                "--secrets-file=" + secrets,
                "--keep",
                "--timeout=90s");

        assertThat(options.split()).isTrue();
        assertThat(options.directory()).isEqualTo(directory.resolve("csi4j-name"));
        assertThat(options.volumeName()).isEqualTo("name");
        assertThat(options.size()).isEqualTo(2L << 30);
        assertThat(options.accessMode()).isEqualTo(AccessMode.MULTI_NODE_MULTI_WRITER);
        MountVolume mount = options.capability().mountVolume().orElseThrow();
        assertThat(mount.fsType()).isEqualTo("xfs");
        assertThat(mount.mountFlags().asList()).containsExactly("noatime", "nodiratime", "discard");
        assertThat(options.parameters()).isEqualTo(Map.of("a", "1", "b", "x,y", "c", "d=e"));
        assertThat(options.mutableParameters()).containsExactly(Map.entry("iops", "5"));
        assertThat(options.secrets().asMap()).containsOnly(Map.entry("user", "me"), Map.entry("password", "a=b\\c:d"));
        assertThat(options.keep()).isTrue();
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(90));
        assertThat(options.toString()).doesNotContain("a=b\\c:d");
    }

    @Test
    void existingVolumeIsParsedWithItsContext() {
        RunOptions options = parsed(ENDPOINT, "--volume-id=vol/1", "--volume-context=k=v", "--block");
        assertThat(options.volumeId()).contains(ExternalVolumeId.of("vol/1"));
        assertThat(options.directory().getFileName()).hasToString("csi4j-vol_1");
        assertThat(options.volumeContext().asMap()).containsExactly(Map.entry("k", "v"));
        assertThat(options.capability().isBlock()).isTrue();
    }

    @Test
    void allMistakesAreReportedAtOnceWithOptionName(@TempDir Path directory) throws IOException {
        Path secrets = Files.writeString(directory.resolve("secrets"), "good=1\nhunter2 is no pair\n");

        List<String> problems = problems(
                "stray-secret",
                "--bogus",
                "--size=5X",
                "--size=6",
                "--timeout=never",
                "--access-mode=SHARED",
                "--parameters=hunter2",
                "--secrets-file=" + secrets,
                "--work-dir=" + secrets,
                "--block",
                "--fs-type=ext4",
                "--keep=yes",
                "--volume-context=a=b",
                "--volume-name");

        assertThat(problems)
                .anySatisfy(line -> assertThat(line).startsWith("--endpoint is missing"))
                .anySatisfy(line -> assertThat(line).startsWith("--bogus is unknown"))
                .anySatisfy(line -> assertThat(line).startsWith("an argument that is not an option"))
                .anySatisfy(line -> assertThat(line).startsWith("--size is given 2 times"))
                .anySatisfy(line -> assertThat(line).startsWith("--size '5X' is not a number"))
                .anySatisfy(line -> assertThat(line).startsWith("--timeout 'never'"))
                .anySatisfy(line -> assertThat(line).startsWith("--access-mode 'SHARED' is none of SINGLE_NODE_WRITER"))
                .anySatisfy(line -> assertThat(line).startsWith("--parameters holds something that is not key=value"))
                .anySatisfy(line -> assertThat(line).startsWith("--secrets-file line 2 of " + secrets))
                .anySatisfy(line -> assertThat(line).startsWith("--work-dir " + secrets + " is not a directory"))
                .anySatisfy(line -> assertThat(line).startsWith("--block has no file system"))
                .anySatisfy(line -> assertThat(line).startsWith("--keep takes no value"))
                .anySatisfy(line -> assertThat(line).startsWith("--volume-context belongs to --volume-id"))
                .anySatisfy(line -> assertThat(line).startsWith("--volume-name needs a value"))
                .hasSize(14)
                .noneSatisfy(line -> assertThat(line).containsAnyOf("hunter2", "stray-secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--volume-name=x", "--size=1Gi", "--parameters=a=b", "--keep"})
    void optionForNewVolumeIsRejectedWithVolumeId(String option) {
        assertThat(problems(ENDPOINT, "--volume-id=v", option))
                .singleElement()
                .asString()
                .contains("neither created nor deleted");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://x", "unix://host/x.sock", "localhost:80", ""})
    void endpointThatIsNotUnixSocketIsRejected(String endpoint) {
        assertThat(problems("--endpoint=" + endpoint))
                .singleElement()
                .asString()
                .startsWith("--endpoint ");
    }

    /** The program derives longer names from the volume's name, so these must fit as well (R16, R21). */
    @Test
    void volumeNameThatCsiForbidsIsRejected() {
        assertThat(problems(ENDPOINT, "--volume-name=" + "x".repeat(120)))
                .singleElement()
                .asString()
                .contains("name");
        assertThat(problems(ENDPOINT, "--volume-name=a\u0007b"))
                .singleElement()
                .asString()
                .contains("control");
    }

    @Test
    void secretThatCsiForbidsIsRejectedWithoutItsValue(@TempDir Path directory) throws IOException {
        Path secrets = Files.writeString(directory.resolve("secrets"), "key=hunter2" + "x".repeat(5000) + "\n");
        assertThat(problems(ENDPOINT, "--secrets-file=" + secrets))
                .singleElement()
                .asString()
                .contains("secrets")
                .doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource({
        "1,1",
        "1K,1000",
        "1Ki,1024",
        "3M,3000000",
        "64Mi,67108864",
        "1G,1000000000",
        "1Gi,1073741824",
        "1T,1000000000000",
        "1Ti,1099511627776",
        "10 Mi,10485760"
    })
    void sizeWithUnitIsParsed(String text, long bytes) {
        assertThat(Quantities.bytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5Gi", "Gi", "1KB", "9999999999999999Ti", "99999999999999999999"})
    void invalidSizeIsRejected(String text) {
        assertThat(problems(ENDPOINT, "--size=" + text))
                .singleElement()
                .asString()
                .startsWith("--size ");
    }

    @ParameterizedTest
    @CsvSource({"250ms,250", "3,3000", "3s,3000", "2m,120000", "1h,3600000"})
    void timeWithUnitIsParsed(String text, long millis) {
        assertThat(Quantities.duration(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @CsvSource({"0,0 bytes", "1023,1023 bytes", "1536,1.5 KiB", "67108864,64 MiB", "9223372036854775807,8 EiB"})
    void sizeIsPrintedWithLargestUnit(long bytes, String text) {
        assertThat(Quantities.text(bytes)).isEqualTo(text);
    }

    @Test
    void helpIsDetectedBesideUnknownOptions() {
        assertThat(new OptionsParser(List.of("--bogus", "--help")).help()).isTrue();
    }
}

package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.ScriptedNode.Fate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The entries about the workload in NodePublishVolume: once sent, they stay the same until the target is unmounted. */
class WorkloadInfoTest {
    private static final String NAME = "csi.storage.k8s.io/pod.name";
    private static final String EPHEMERAL = "csi.storage.k8s.io/ephemeral";
    private static final Map<String, String> OWN = Map.of("pool", "fast");
    private static final VolumeContext INFO = VolumeContext.of(Map.of(NAME, "web-7f3a", EPHEMERAL, "false"));
    private static final VolumeContext OTHER = VolumeContext.of(Map.of(NAME, "other", EPHEMERAL, "false"));
    private static final Map<String, String> SENT = Map.of("pool", "fast", NAME, "web-7f3a", EPHEMERAL, "false");

    @TempDir
    private Path base;

    private static NodeMount request(String allocation, VolumeContext info) {
        return Bench.request("v", allocation)
                .volumeContext(VolumeContext.of(OWN))
                .workloadInfo(info)
                .build();
    }

    private static List<Map<String, String>> published(Bench bench) {
        return bench.node.publishRequests.stream()
                .map(request -> request.volumeContext().asMap())
                .toList();
    }

    private static Stream<RequestedCapability> capabilities() {
        return Stream.of(Bench.MANY, RequestedCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER));
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    void infoIsInThePublicationAndNotInTheStaging(RequestedCapability capability) {
        Bench bench = new Bench(base, 1, true);
        bench.done(bench.volumes.mount(NodeMount.builder(Bench.id("v"), AllocationId.of("a"), capability)
                .volumeContext(VolumeContext.of(OWN))
                .workloadInfo(INFO)
                .build()));
        assertThat(published(bench)).containsExactly(SENT);
        assertThat(bench.node.stageRequests)
                .singleElement()
                .satisfies(
                        request -> assertThat(request.volumeContext().asMap()).isEqualTo(OWN));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void repeatedCallsAreEqualAfterALostAnswerWithAnotherRequestAndARestart(boolean stages) {
        Bench bench = new Bench(base, 2, stages);
        int[] publications = {0};
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME && publications[0]++ == 0 ? Fate.LOST_ANSWER : Fate.OK;
        var first = bench.volumes.mount(request("a", INFO));
        while (published(bench).isEmpty()) {
            bench.time.advance(Duration.ofMillis(1));
        }
        // The profile was changed meanwhile, and the leader grants again.
        var again = bench.volumes.mount(request("a", OTHER));
        bench.time.advance(Duration.ofMillis(1));
        assertThat(published(bench)).as("the answer is outstanding").containsExactly(SENT);
        bench.crash();
        bench.open();
        bench.time.advance(Duration.ofMinutes(5));
        bench.done(bench.volumes.mount(request("a", VolumeContext.empty())));
        assertThat(published(bench)).hasSizeGreaterThan(1).containsOnly(SENT);
        assertThat(bench.node.publishRequests.stream().distinct()).hasSize(1);
        assertThat(first).isNotDone();
        assertThat(again).isNotDone();
        assertThat(bench.node.violations).isEmpty();
    }

    /** The profile is changed while the first call has no answer, and the same process repeats the call. */
    @Test
    void sameProcessRepeatsTheCallThatItBegan() {
        Bench bench = new Bench(base, 6, true);
        int[] publications = {0};
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME && publications[0]++ < 2 ? Fate.NOT_DONE : Fate.OK;
        var first = bench.volumes.mount(request("a", INFO));
        while (published(bench).isEmpty()) {
            bench.time.advance(Duration.ofMillis(1));
        }
        var again = bench.volumes.mount(request("a", VolumeContext.empty()));
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(first).isCompleted();
        assertThat(again).isCompleted();
        assertThat(published(bench)).hasSize(3).containsOnly(SENT);
    }

    @Test
    void eachAllocationHasItsOwnAndANewMountTheNewOne() {
        Bench bench = new Bench(base, 3, true);
        bench.done(bench.volumes.mount(request("a", INFO)));
        bench.done(bench.volumes.mount(request("b", OTHER)));
        bench.done(bench.unmount("v", "a"));
        bench.done(bench.volumes.mount(request("a", VolumeContext.empty())));
        assertThat(published(bench))
                .containsExactly(SENT, Map.of("pool", "fast", NAME, "other", EPHEMERAL, "false"), OWN);
    }

    @Test
    void keyThatTheVolumeHasWithAnotherValueIsRefusedBeforeAnyCall() {
        Bench bench = new Bench(base, 4, true);
        Throwable refused = bench.failed(bench.volumes.mount(Bench.request("v", "a")
                .volumeContext(VolumeContext.of(Map.of(NAME, "forged-value", EPHEMERAL, "false")))
                .workloadInfo(INFO)
                .build()));
        assertThat(refused).isInstanceOf(NodeVolumeException.class).hasMessageContaining(NAME);
        assertThat(refused.getMessage()).doesNotContain(EPHEMERAL, "forged-value", "web-7f3a");
        assertThat(((NodeVolumeException) refused).reason()).isEqualTo(NodeVolumeException.Reason.UNSUPPORTED);
        assertThat(bench.node.stageRequests).isEmpty();
        assertThat(bench.node.publishRequests).isEmpty();
    }

    @Test
    void valuesAreShownNowhereAndStagingKeepsNone() throws Exception {
        Bench bench = new Bench(base, 5, true);
        NodeMount mount = request("a", INFO);
        assertThat(mount.toString()).doesNotContain("web-7f3a");
        bench.done(bench.volumes.mount(mount));
        assertThat(bench.events.toString() + bench.volumes.volumes()).doesNotContain("web-7f3a");
        assertThat(occurrences("web-7f3a"))
                .as("in the ledger, of the target only")
                .isEqualTo(1);
    }

    private int occurrences(String text) throws Exception {
        int found = 0;
        try (Stream<Path> files = Files.walk(base.resolve("ledger"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String content = new String(Files.readAllBytes(file), java.nio.charset.StandardCharsets.ISO_8859_1);
                found += content.split(text, -1).length - 1;
            }
        }
        return found;
    }
}

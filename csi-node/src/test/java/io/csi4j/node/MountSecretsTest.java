package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.volume.MountOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The sources of a mount's secrets: the mount request, or else the secrets provider. */
class MountSecretsTest {
    private static final Secrets STAGE = Secrets.of(Map.of("key", "of-the-staging"));
    private static final Secrets PUBLISH = Secrets.of(Map.of("key", "of-the-target"));

    @TempDir
    Path base;

    private Bench bench;
    private final List<String> asked = new ArrayList<>();

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        bench.secrets = (id, allocation) -> {
            asked.add(id.volume() + " " + allocation);
            return CompletableFuture.completedFuture(new MountSecrets(STAGE, PUBLISH));
        };
    }

    private void mountWithSecrets() {
        bench.done(bench.volumes.mount(Bench.request("v", "a")
                .stageSecrets(STAGE)
                .publishSecrets(PUBLISH)
                .build()));
    }

    private void reboot() {
        bench.crash();
        bench.node.reboot();
        bench.node.stageRequests.clear();
        bench.node.publishRequests.clear();
        bench.open();
    }

    private void sentWithSecrets() {
        assertThat(bench.node.stageRequests)
                .extracting(NodeStageVolumeRequest::secrets)
                .containsOnly(STAGE);
        assertThat(bench.node.publishRequests)
                .extracting(NodePublishVolumeRequest::secrets)
                .containsOnly(PUBLISH);
    }

    @Test
    void secretsInRequestAreUsedWithoutCallingSecretsProvider() {
        mountWithSecrets();
        sentWithSecrets();
        assertThat(asked).isEmpty();
    }

    @Test
    void secretsProviderIsCalledForVolumeAndAllocationAfterReboot() {
        mountWithSecrets();
        reboot();
        bench.time.advance(Duration.ofSeconds(10));
        assertThat(asked).containsExactly("ns/v a", "ns/v a");
        assertThat(bench.node.published).hasSize(1);
        sentWithSecrets();
    }

    @Test
    void failingSecretsProviderIsCalledAgain() {
        mountWithSecrets();
        int[] times = new int[1];
        MountSecretsProvider sound = bench.secrets;
        bench.secrets = (id, allocation) -> {
            times[0]++;
            if (times[0] == 1) {
                throw new IllegalStateException("wrong password canary-1");
            }
            return times[0] < 4
                    ? CompletableFuture.failedFuture(new IllegalStateException("wrong password canary-1"))
                    : sound.secrets(id, allocation);
        };
        reboot();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.published).hasSize(1);
        assertThat(bench.events)
                .extracting(NodeVolumeEvent::message)
                .anyMatch(text -> text.contains("nothing was sent"));
        assertThat(bench.events.toString()).doesNotContain("canary-1");
        // The record can be removed at once, because no call was sent that could take effect late.
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("failures")
    void exceptionTextOfSecretsProviderIsNotShown(Exception failure) {
        mountWithSecrets();
        bench.secrets = (id, allocation) -> CompletableFuture.failedFuture(failure);
        reboot();
        bench.time.advance(Duration.ofMinutes(1));
        String displayed = bench.events.toString() + bench.volumes.volumes();
        assertThat(displayed)
                .contains("MountSecretsProvider")
                .contains(failure.getClass().getName());
        assertThat(displayed).doesNotContain("canary-1");
    }

    static Stream<Exception> failures() {
        return Stream.of(
                new IOException("401 for https://vault/?token=canary-1"),
                new UncheckedIOException(new IOException("canary-1")),
                new CsiException("token canary-1 has expired"),
                new NodeVolumeException(NodeVolumeException.Reason.UNSUPPORTED, "canary-1"));
    }

    @Test
    void hungSecretsProviderDoesNotBlockVolumeForever() {
        mountWithSecrets();
        MountSecretsProvider sound = bench.secrets;
        bench.secrets = (id, allocation) -> new CompletableFuture<>();
        reboot();
        bench.time.advance(Duration.ofMinutes(3));
        assertThat(bench.node.published).isEmpty();
        bench.secrets = sound;
        bench.time.advance(Duration.ofMinutes(3));
        sentWithSecrets();
        assertThat(bench.node.published).hasSize(1);
    }

    @Test
    void secretsAreDroppedAfterMountIsRefused() {
        mountWithSecrets();
        CompletableFuture<MountedVolume> refused = bench.volumes.mount(Bench.request("v", "b")
                .mountOptions(MountOptions.of("xfs"))
                .publishSecrets(PUBLISH)
                .build());
        assertThat(bench.failed(refused))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        e -> assertThat(e.reason()).isEqualTo(NodeVolumeException.Reason.CONFLICT));
        bench.secrets = MountSecretsProvider.none();
        bench.node.publishRequests.clear();
        bench.done(bench.mount("v", "b"));
        assertThat(bench.node.publishRequests)
                .extracting(NodePublishVolumeRequest::secrets)
                .containsOnly(Secrets.empty());
    }

    @Test
    void secretsAreDroppedAfterVolumeIsMounted() {
        mountWithSecrets();
        bench.node.mounts.remove(Path.of(bench.target("v", "a")));
        bench.done(bench.volumes.check());
        assertThat(asked).containsExactly("ns/v a");
    }
}

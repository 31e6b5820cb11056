package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeStatus.State;
import io.csi4j.node.ScriptedNode.Fate;
import io.csi4j.node.internal.ledger.EntryCodec;
import io.csi4j.node.internal.ledger.HadSecrets;
import io.csi4j.node.internal.ledger.MountTerms;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets of a mount that were lost in a restart, or that the plugin no longer accepts. */
class LostSecretsTest {
    private static final Secrets STALE = Secrets.of(Map.of("key", "stale"));
    private static final Secrets FRESH = Secrets.of(Map.of("key", "fresh"));

    @TempDir
    Path base;

    private Bench bench;
    private final List<String> asked = new ArrayList<>();

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
    }

    private void provider(MountSecrets secrets) {
        bench.secrets = (id, allocation) -> {
            asked.add(id.volume() + " " + allocation);
            return CompletableFuture.completedFuture(secrets);
        };
    }

    private static NodeMount mount(Secrets stage, Secrets publish) {
        return Bench.request("v", "a")
                .stageSecrets(stage)
                .publishSecrets(publish)
                .build();
    }

    private void reboot() {
        bench.crash();
        bench.node.reboot();
        bench.node.log.clear();
        bench.node.stageRequests.clear();
        bench.node.publishRequests.clear();
        bench.open();
        bench.time.advance(Duration.ofMinutes(3));
    }

    private long reported(Kind kind) {
        return bench.events.stream().filter(event -> event.kind() == kind).count();
    }

    private NodeVolumeStatus status() {
        return bench.volumes.volumes().get(0);
    }

    @Test
    void volumeIsNotMountedAgainAfterRebootUntilItsSecretsAreAvailable() {
        bench.done(bench.volumes.mount(mount(STALE, STALE)));
        reboot();
        assertThat(bench.node.log).isEmpty();
        assertThat(status().uses().get(0).state()).isEqualTo(State.MOUNTING);
        assertThat(status().lastError()).contains("nothing was sent").contains("MountSecretsProvider");
        assertThat(reported(Kind.STEP_FAILED)).isPositive();
        assertThat(reported(Kind.SECRETS_MISSING)).isZero();
        provider(new MountSecrets(FRESH, FRESH));
        bench.time.advance(Duration.ofMinutes(3));
        assertThat(bench.node.published).hasSize(1);
    }

    @Test
    void volumeIsNotMountedAgainIfStageOrPublishSecretsAreMissing() {
        bench.done(bench.volumes.mount(mount(Secrets.empty(), STALE)));
        provider(new MountSecrets(FRESH, Secrets.empty()));
        reboot();
        assertThat(bench.node.log).isEmpty();
        provider(new MountSecrets(Secrets.empty(), FRESH));
        bench.time.advance(Duration.ofMinutes(3));
        assertThat(bench.node.published).hasSize(1);
    }

    @Test
    void secretsOfMountRequestRepeatedAfterRebootAreUsed() {
        bench.done(bench.volumes.mount(mount(STALE, STALE)));
        reboot();
        bench.done(bench.volumes.mount(mount(FRESH, FRESH)));
        assertThat(bench.node.stageRequests)
                .extracting(NodeStageVolumeRequest::secrets)
                .containsExactly(FRESH);
    }

    @Test
    void mountWithoutLostSecretsIsReportedIfOptionsPermitSuchMounts() {
        bench.options = Bench.unsynced().missingSecrets(MissingSecrets.TRY).build();
        bench.restart();
        bench.done(bench.volumes.mount(mount(STALE, STALE)));
        reboot();
        assertThat(bench.node.published).hasSize(1);
        // Expects one event for the staging and one for the target.
        assertThat(reported(Kind.SECRETS_MISSING)).isEqualTo(2);
        assertThat(bench.events.toString()).doesNotContain("stale");
    }

    @Test
    void volumeThatNeverHadSecretsIsMountedAgainAfterRebootWithoutMissingSecretsEvent() {
        bench.done(bench.mount("v", "a"));
        reboot();
        assertThat(bench.node.published).hasSize(1);
        assertThat(reported(Kind.STEP_FAILED)).isZero();
        assertThat(reported(Kind.SECRETS_MISSING)).isZero();
    }

    @Test
    void secretsMissingInMountRequestAreRequestedFromSecretsProvider() {
        provider(new MountSecrets(FRESH, FRESH));
        bench.done(bench.mount("v", "a"));
        assertThat(asked).containsExactly("ns/v a", "ns/v a");
        assertThat(bench.node.publishRequests)
                .extracting(NodePublishVolumeRequest::secrets)
                .containsExactly(FRESH);
    }

    @Test
    void secretsThatPluginRefusedAreNotSentAgain() {
        // The plugin accepts only the fresh secrets.
        bench.node.fates = rpc -> stale(rpc) ? Fate.UNAUTHENTICATED : Fate.OK;
        provider(new MountSecrets(FRESH, FRESH));
        bench.done(bench.volumes.mount(mount(FRESH, STALE)));
        assertThat(bench.node.publishRequests)
                .extracting(NodePublishVolumeRequest::secrets)
                .containsExactly(STALE, FRESH);
        assertThat(asked).containsExactly("ns/v a");
    }

    private boolean stale(Rpc rpc) {
        List<NodePublishVolumeRequest> requests = bench.node.publishRequests;
        return rpc == Rpc.NODE_PUBLISH_VOLUME
                && requests.get(requests.size() - 1).secrets().equals(STALE);
    }

    @Test
    void secretsAreSentAgainAfterFailureUnrelatedToSecrets() {
        int[] left = {2};
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME && left[0]-- > 0 ? Fate.UNAVAILABLE : Fate.OK;
        provider(new MountSecrets(FRESH, FRESH));
        bench.done(bench.volumes.mount(mount(STALE, STALE)));
        assertThat(bench.node.publishRequests)
                .extracting(NodePublishVolumeRequest::secrets)
                .containsExactly(STALE, STALE, STALE);
        assertThat(asked).isEmpty();
    }

    @Test
    void ledgerRecordsWhetherMountHadSecrets() throws IOException {
        NodeMount request = mount(Secrets.empty(), STALE);
        UseEntry use = UseEntry.wanted(UseId.first(request.allocationId()), MountTerms.of(request))
                .with(HadSecrets.of(request.secrets()));
        VolumeEntry entry = VolumeEntry.empty(request.volume(), false)
                .identifiedAs(request.id())
                .with(use)
                .uncertainAt(7);
        assertThat(use.secrets()).isEqualTo(new HadSecrets(false, true));
        assertThat(EntryCodec.decode(EntryCodec.encode(entry))).isEqualTo(entry);
        UseEntry running = use.withMayRun(true);
        assertThat(EntryCodec.decode(EntryCodec.encode(entry.with(running)))).isEqualTo(entry.with(running));
    }

    @Test
    void secretsOfCancelledMountAreNotSentForTheNextMountOfItsAllocation() {
        bench.done(bench.mount("v", "other"));
        bench.node.publishRequests.clear();
        bench.node.there = false;
        CompletableFuture<MountedVolume> cancelled = bench.volumes.mount(mount(STALE, STALE));
        bench.time.advance(Duration.ofSeconds(1));
        cancelled.cancel(false);
        bench.time.advance(Duration.ofSeconds(1));
        bench.node.there = true;
        bench.done(bench.volumes.mount(mount(Secrets.empty(), Secrets.empty())));
        assertThat(bench.node.publishRequests)
                .extracting(NodePublishVolumeRequest::secrets)
                .containsExactly(Secrets.empty());
    }
}

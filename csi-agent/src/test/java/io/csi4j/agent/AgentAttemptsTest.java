package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.proto.agent.v1.AgentProto.AttachmentMode;
import io.csi4j.proto.agent.v1.AgentProto.CancelClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.Capability;
import io.csi4j.proto.agent.v1.AgentProto.ClaimAnswer;
import io.csi4j.proto.agent.v1.AgentProto.ClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.ClaimMode;
import io.csi4j.proto.agent.v1.AgentProto.ClaimedVolume;
import io.csi4j.proto.agent.v1.ServersGrpc;
import io.csi4j.proto.values.v1.ValuesProto.VolumeName;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attempts of one allocation that arrive in any order, with a log and secrets that take their time. */
class AgentAttemptsTest {
    private static final String ALLOCATION = "web-1";

    private Ground ground;
    private ScriptedPlugin plugin;
    private HeldLog log;
    private HeldSecrets secrets;
    private VolumeLifecycle leader;
    private RawPeer raw;
    private VolumeKey key;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        Endpoint listen = ground.unix("agent-socket");
        Endpoint fingerprints = ground.unix("server");
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToAgent(fingerprints, NODE));
        plugin = ground.plugin(ground.start(ground.agent(listen, fingerprints)));
        ground.knows(true);
        key = ground.volume("db");
        ground.running(ALLOCATION);
        ground.lifecycle.stopLeading();

        log = new HeldLog(ground.log);
        secrets = new HeldSecrets();
        leader = VolumeLifecycle.builder()
                .controllers(ControllerTrust.everyNode())
                .log(log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .secrets(secrets)
                .build();
        leader.startLeading();
        Endpoint address = ground.unix("leader");
        ground.start(AgentServer.builder(leader, log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .listenToAgent(address, NODE));
        raw = RawPeer.calling(address.path().orElseThrow());
    }

    @AfterEach
    void stop() {
        log.open();
        secrets.give();
        raw.close();
        leader.stopLeading();
        ground.close();
    }

    private ClaimAnswer claim(String attempt) {
        return raw.call(
                ServersGrpc.getClaimMethod(),
                ClaimCall.newBuilder()
                        .setVersion(RawPeer.VERSION)
                        .setNodeId(NODE.value())
                        .setAllocationId(ALLOCATION)
                        .setAttempt(attempt)
                        .setWaitMillis(30_000)
                        .addVolumes(ClaimedVolume.newBuilder()
                                .setVolume(VolumeName.newBuilder()
                                        .setNamespace("default")
                                        .setVolumeId("db"))
                                .setMode(ClaimMode.CLAIM_MODE_WRITE)
                                .setCapability(Capability.newBuilder()
                                        .setAccessMode(
                                                Ground.WRITER.accessMode().number())
                                        .setAttachmentMode(AttachmentMode.ATTACHMENT_MODE_MOUNT)))
                        .build());
    }

    private CompletableFuture<ClaimAnswer> claiming(String attempt) {
        return CompletableFuture.supplyAsync(() -> claim(attempt), ground.executor);
    }

    private void granted(String attempt) {
        ClaimAnswer answer = claim(attempt);
        assertThat(answer.hasGrant()).as("%s", answer).isTrue();
    }

    private void cancel(String attempt) {
        var done = raw.call(
                ServersGrpc.getCancelClaimMethod(),
                CancelClaimCall.newBuilder()
                        .setVersion(RawPeer.VERSION)
                        .setNodeId(NODE.value())
                        .setAllocationId(ALLOCATION)
                        .setAttempt(attempt)
                        .build());
        assertThat(done.hasFailure()).as("%s", done).isFalse();
    }

    private Optional<Claim> held() {
        return ground.store.snapshot().volume(key).orElseThrow().claims().get(AllocationId.of(ALLOCATION));
    }

    private void stillTaken() {
        assertThat(held().map(Claim::state)).contains(ClaimState.TAKEN);
        assertThat(plugin.count("NodeUnpublishVolume")).isZero();
    }

    private void freed() {
        ground.until(
                key + " is free",
                StateScope.volume(key),
                state -> !state.volume(key).orElseThrow().inUse());
    }

    @Test
    void uncommittedClaimOfNextAttemptIsGrantedAlthoughOldAttemptIsCancelled() throws Exception {
        granted("one");
        log.hold();
        CompletableFuture<ClaimAnswer> two = claiming("two");
        log.awaitHeld(1, two);
        CompletableFuture<Void> cancel = CompletableFuture.runAsync(() -> cancel("one"), ground.executor);
        log.awaitHeld(2, cancel);
        log.open();

        get(cancel);
        assertThat(get(two).hasGrant()).as("%s", get(two)).isTrue();
        stillTaken();
    }

    @Test
    void cancellingOldAttemptKeepsClaimWhileSecretsForNextAttemptAreFetched() {
        granted("one");
        secrets.hold();
        CompletableFuture<ClaimAnswer> two = claiming("two");
        get(secrets.asked());
        cancel("one");
        secrets.give();

        assertThat(get(two).hasGrant()).as("%s", get(two)).isTrue();
        stillTaken();
    }

    @Test
    void claimIsKeptUntilBothAttemptsAreCancelled() {
        granted("one");
        granted("two");
        cancel("one");
        stillTaken();
        cancel("two");
        freed();
    }

    @Test
    void cancellingLateAttemptKeepsClaimGrantedToNextAttempt() {
        granted("two");
        granted("one");
        cancel("one");
        stillTaken();
        cancel("two");
        freed();
    }

    @Test
    void cancellingBothAttemptsReleasesClaimWhileSecretsAreFetched() {
        granted("one");
        secrets.hold();
        CompletableFuture<ClaimAnswer> two = claiming("two");
        get(secrets.asked());
        cancel("one");
        CompletableFuture<Void> cancel = CompletableFuture.runAsync(() -> cancel("two"), ground.executor);
        secrets.give();
        get(cancel);

        assertThat(get(two).hasGrant() && held().map(Claim::state).equals(Optional.of(ClaimState.TAKEN)))
                .isFalse();
        freed();
    }

    @Test
    void cancellingAttemptKeepsClaimThatWasGrantedBeforeAttemptBegan() {
        AllocationId allocation = AllocationId.of(ALLOCATION);
        get(leader.claims().claim(allocation, java.util.List.of(Ground.writing(key))));
        granted("two");
        cancel("two");
        stillTaken();
    }

    @Test
    void cancellingOneWaitingAttemptKeepsQueuePositionOfOtherAttempt() {
        ground.running("web-0");
        get(leader.claims().claim(AllocationId.of("web-0"), java.util.List.of(Ground.writing(key))));
        CompletableFuture<ClaimAnswer> two = claiming("two");
        waits();
        CompletableFuture<ClaimAnswer> one = claiming("one");
        cancel("one");
        get(leader.claims().release(key, AllocationId.of("web-0")));

        assertThat(get(two).hasGrant()).as("%s", get(two)).isTrue();
        assertThat(get(one)).isNotNull();
        stillTakenBy(ALLOCATION);
    }

    private void stillTakenBy(String allocation) {
        assertThat(ground.store
                        .snapshot()
                        .volume(key)
                        .orElseThrow()
                        .claims()
                        .get(AllocationId.of(allocation))
                        .map(Claim::state))
                .contains(ClaimState.TAKEN);
    }

    /** The queue is the engine's own; it has no watch. */
    private void waits() {
        long end = System.nanoTime() + Ground.PATIENCE.toNanos();
        while (get(leader.claims().status(key)).orElseThrow().waiting().isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void claimReleasedWhileItsSecretsAreFetchedIsNotGranted() {
        secrets.hold();
        CompletableFuture<ClaimAnswer> one = claiming("one");
        get(secrets.asked());
        get(leader.claims().release(key, AllocationId.of(ALLOCATION)));
        secrets.give();

        assertThat(get(one).hasFailure()).as("%s", get(one).getResultCase()).isTrue();
        assertThat(get(one).getFailure().getMessage()).contains("default/db", "was released");
    }
}

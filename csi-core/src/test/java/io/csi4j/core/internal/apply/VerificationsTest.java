package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.StateRestore;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which volumes are verified after the state was restored, and by which command. */
class VerificationsTest {
    private final Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("old", SINGLE_NODE_WRITER);

    private static ClaimRequest write(String volume) {
        return Cluster.request(volume, ClaimMode.WRITE, SINGLE_NODE_WRITER);
    }

    private static NodeCommand.RequireLedgers restore(String reason) {
        return new NodeCommand.RequireLedgers(reason, Cluster.AT);
    }

    /** Restores the state, and lets each node say that it has nothing mounted. */
    private StateRestore restored() {
        cluster.ok(restore("from monday"));
        settle();
        return restores().get(0);
    }

    private void settle() {
        for (String node : List.of("n1", "n2")) {
            cluster.ok(new NodeCommand.RecordLedger(NodeId.of(node), LedgerReport.empty(), 0, Cluster.AT));
        }
    }

    private List<StateRestore> restores() {
        List<StateRestore> rows = new ArrayList<>();
        cluster.state.rows(RowType.RESTORES).forEach(rows::add);
        return rows;
    }

    private Optional<StateRestore> missing(Volume volume) {
        return Verifications.missing(cluster.state, volume);
    }

    @Test
    void newestRestoreReplacesTheFormerOne() {
        assertThat(Verifications.lastRestore(cluster.state)).isEmpty();
        assertThat(Verifications.isOlder(cluster.state, cluster.get("old"))).isFalse();
        StateRestore first = restored();
        cluster.ok(restore("from monday"));
        assertThat(restores()).as("the same command again").containsExactly(first);
        cluster.ok(restore("from sunday"));
        assertThat(restores()).extracting(StateRestore::reason).containsExactly("from sunday");
        cluster.ok(new NodeCommand.RequireLedgers("from sunday", Cluster.AT.plusSeconds(1)));
        assertThat(restores()).hasSize(1).doesNotContain(first);
        assertThat(restores().get(0).at()).as("another restore").isEqualTo(Cluster.AT.plusSeconds(1));
    }

    @Test
    void onlyVolumesThatAreOlderThanTheRestoreAndNotYetConfirmedAreVerified() {
        assertThat(missing(cluster.get("old"))).isEmpty();
        StateRestore restore = restored();
        cluster.volume("new", SINGLE_NODE_WRITER);
        Volume old = cluster.get("old");
        assertThat(missing(old)).contains(restore);
        assertThat(Verifications.isOlder(cluster.state, old)).isTrue();
        assertThat(missing(cluster.get("new"))).isEmpty();
        assertThat(Verifications.isOlder(cluster.state, cluster.get("new"))).isFalse();
        assertThat(missing(with(old, Verification.asked(restore.index())))).contains(restore);
        assertThat(missing(with(old, Verification.confirmed(restore.index(), Cluster.AT))))
                .isEmpty();
        assertThat(missing(with(old, Verification.confirmed(restore.index() - 1, Cluster.AT))))
                .as("what was confirmed before proves nothing")
                .contains(restore);

        Volume creating = old.toBuilder().phase(VolumePhase.CREATING).build();
        assertThat(missing(creating)).contains(restore);
        cluster.allocation("a", "n1");
        Claim claim = Claim.builder(
                        Cluster.alloc("a"),
                        NodeId.of("n1"),
                        ClaimMode.WRITE,
                        RequestedCapability.mount(SINGLE_NODE_WRITER))
                .build();
        assertThat(missing(
                        creating.toBuilder().claims(Claims.of(List.of(claim))).build()))
                .as("a node has reported it, so it exists")
                .isEmpty();
    }

    private static Volume with(Volume volume, Verification verification) {
        return volume.toBuilder().verification(verification).build();
    }

    @Test
    void volumeOfAPluginWithoutControllerIsNotVerified() {
        Cluster nodes = Cluster.withoutController().nodes("n1").volume("old", SINGLE_NODE_WRITER);
        nodes.ok(restore("from monday"));
        assertThat(Verifications.missing(nodes.state, nodes.get("old"))).isEmpty();
    }

    @Test
    void claimThatNothingElseHoldsBackBeginsTheVerification() {
        StateRestore restore = restored();
        cluster.allocation("a", "n1");
        assertThat(Verifications.mayAsk(cluster.state, cluster.get("old"))).isTrue();
        Outcome.Accepted begun = cluster.ok(Cluster.take("a", write("old")));
        assertThat(begun.changed()).isTrue();
        assertThat(Cluster.effects(begun, Effect.VolumeStored.class)).hasSize(1);
        assertThat(cluster.get("old").verification()).contains(Verification.asked(restore.index()));
        assertThat(cluster.claimOf("old", "a"))
                .as("the claim is proposed again later")
                .isEmpty();
        assertThat(Verifications.mayAsk(cluster.state, cluster.get("old"))).isFalse();
        assertThat(waits("a", write("old"))).isEqualTo(WaitReason.NOT_VERIFIED);

        cluster.ok(new VolumeCommand.RecordVerified(
                Cluster.vol("old"), cluster.get("old").createIndex(), restore.index(), Cluster.AT));
        cluster.ok(Cluster.take("a", write("old")));
        assertThat(cluster.claimOf("old", "a")).isPresent();
    }

    private WaitReason waits(String allocation, ClaimRequest... requests) {
        AdmissionDecision decision = cluster.refused(Rejection.NotAdmitted.class, Cluster.take(allocation, requests))
                .decision();
        return ((AdmissionDecision.Wait) decision).reason();
    }

    @Test
    void claimThatWaitsForSomethingElseBeginsNoVerification() {
        cluster.volume("used", SINGLE_NODE_WRITER);
        cluster.claim("holder", "n2", "used", ClaimMode.WRITE, SINGLE_NODE_WRITER);
        StateRestore restore = restored();
        cluster.state.putVolume(with(cluster.get("used"), Verification.confirmed(restore.index(), Cluster.AT)));
        cluster.allocation("a", "n1");
        assertThat(waits("a", write("old"), write("used"))).isNotEqualTo(WaitReason.NOT_VERIFIED);
        assertThat(cluster.get("old").verification())
                .as("no question is asked in vain")
                .isEmpty();
        cluster.refused(Rejection.class, Cluster.take("a", write("old"), write("no-such-volume")));
        cluster.refused(Rejection.class, Cluster.take("no-such-allocation", write("old")));
        cluster.ended("a", "n1");
        cluster.refused(Rejection.class, Cluster.take("a", write("old")));
        assertThat(cluster.get("old").verification()).isEmpty();
    }

    @Test
    void claimBeginsTheVerificationOfAllItsVolumesAtOnce() {
        cluster.volume("other", SINGLE_NODE_WRITER);
        StateRestore restore = restored();
        cluster.volume("new", SINGLE_NODE_WRITER);
        cluster.allocation("a", "n1");
        Outcome.Accepted begun = cluster.ok(Cluster.take("a", write("old"), write("new"), write("other")));
        assertThat(Cluster.effects(begun, Effect.VolumeStored.class)).hasSize(2);
        for (String volume : List.of("old", "other")) {
            assertThat(cluster.get(volume).verification()).contains(Verification.asked(restore.index()));
        }
        assertThat(cluster.get("new").verification()).isEmpty();
    }

    /** Two volumes do not fit on the node, so the claim waits anyway. */
    @Test
    void volumesOfTheClaimCountOnItsNode() {
        cluster.volume("other", SINGLE_NODE_WRITER);
        NodeInfo one = new NodeInfo(ExternalNodeId.of("ext-n1"), 1, Optional.of(Cluster.ZONE));
        cluster.fingerprint("n1", cluster.instance("n1").nodeInfo(one).build());
        restored();
        cluster.allocation("a", "n1");
        cluster.refused(Rejection.NotAdmitted.class, Cluster.take("a", write("old"), write("other")));
        assertThat(cluster.get("old").verification()).isEmpty();
        cluster.ok(Cluster.take("a", write("old")));
        assertThat(cluster.get("old").verification()).isPresent();
    }

    @Test
    void volumeIsAskedForAgainUnlessAQuestionIsOpen() {
        Volume never = cluster.get("old");
        assertThat(Verifications.askedAgain(cluster.state, never)).isSameAs(never);
        StateRestore restore = restored();
        Volume old = cluster.get("old");
        Verification asked = Verification.asked(restore.index());
        assertThat(Verifications.askedAgain(cluster.state, old).verification()).contains(asked);
        Attempt attempt = Attempt.failed("not found", Cluster.AT);
        Volume open = with(old, asked.failed(attempt));
        assertThat(Verifications.askedAgain(cluster.state, open)).isSameAs(open);
        Volume lost = with(old, asked.notFound(1, attempt, Cluster.AT).notFound(2, attempt, Cluster.AT));
        assertThat(lost.isLost()).isTrue();
        assertThat(Verifications.lost(lost)).isPresent();
        assertThat(Verifications.lost(open)).isEmpty();
        assertThat(Verifications.lost(
                        lost.toBuilder().phase(VolumePhase.DELETING).build()))
                .as("its deletion goes to the plugin")
                .isEmpty();
        assertThat(Verifications.askedAgain(cluster.state, lost).verification()).contains(asked);
        Volume deleting = old.toBuilder().phase(VolumePhase.DELETING).build();
        assertThat(Verifications.askedAgain(cluster.state, deleting)).isSameAs(deleting);
    }

    @Test
    void creationThatIsRequestedAgainIsConfirmed() {
        VolumeCommand.RegisterVolume create = new VolumeCommand.RegisterVolume(
                Cluster.vol("made"),
                Cluster.spec(SINGLE_NODE_WRITER).build(),
                VolumeOrigin.CREATED,
                ProviderFacts.none(),
                Cluster.AT);
        cluster.ok(create);
        StateRestore restore = restored();
        assertThat(missing(cluster.get("made"))).isPresent();
        cluster.ok(create);
        assertThat(cluster.get("made").verification()).contains(Verification.confirmed(restore.index(), Cluster.AT));
        cluster.state.putVolume(cluster.get("made").toBuilder()
                .phase(VolumePhase.AVAILABLE)
                .verification(null)
                .build());
        cluster.ok(create);
        assertThat(cluster.get("made").verification())
                .as("it may have been deleted")
                .isEmpty();
    }
}

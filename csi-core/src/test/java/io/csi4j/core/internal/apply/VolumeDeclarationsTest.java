package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.spec;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.internal.command.QuotaCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.RefusedCreation;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The problems and the effects that the commands report which declare volumes. */
class VolumeDeclarationsTest {
    private final Cluster cluster = Cluster.attaching().nodes("n1");

    private static VolumeCommand.RegisterVolume create(String id, VolumeSpec spec) {
        return new VolumeCommand.RegisterVolume(vol(id), spec, VolumeOrigin.CREATED, ProviderFacts.none(), AT);
    }

    private static VolumeSpec.Builder writer() {
        return spec(SINGLE_NODE_WRITER);
    }

    private List<String> problems(VolumeCommand command) {
        return cluster.refused(Rejection.InvalidRequest.class, command).problems().stream()
                .map(Problem::field)
                .toList();
    }

    @Test
    void updateIsReportedWithTheVolumeAsItIsNow() {
        cluster.volume("v", SINGLE_NODE_WRITER);
        VolumeSpec changed = writer().capacityRange(CapacityRange.atLeast(5)).build();
        Outcome.Accepted outcome = cluster.ok(new VolumeCommand.UpdateVolume(vol("v"), changed, 0, AT));
        assertThat(effects(outcome, Effect.VolumeStored.class))
                .containsExactly(new Effect.VolumeStored(cluster.get("v"), false));
        Outcome.Accepted same = cluster.ok(new VolumeCommand.UpdateVolume(vol("v"), changed, 0, AT));
        assertThat(effects(same, Effect.VolumeStored.class))
                .containsExactly(new Effect.VolumeStored(cluster.get("v"), false));
        assertThat(same.changed()).isFalse();
    }

    @Test
    void sourceThatIsBeingDeletedIsNoSourceOfANewVolume() {
        cluster.volume("source", SINGLE_NODE_WRITER);
        VolumeSpec copy = writer().contentSource(VolumeContentSource.volume(ExternalVolumeId.of("source")))
                .build();
        cluster.ok(create("first", copy));
        cluster.ok(new VolumeCommand.SetVolumePhase(vol("source"), VolumePhase.DELETING, 0, AT));
        assertThat(problems(create("second", copy))).containsExactly("contentSource");
        cluster.ok(create(
                "third",
                writer().contentSource(VolumeContentSource.volume(ExternalVolumeId.of("unknown")))
                        .build()));
        cluster.ok(Cluster.register("registered", copy));
    }

    @Test
    void quotaOfBytesNeedsASizeOfVolumesThatAreCreated() {
        cluster.ok(new QuotaCommand.PutQuota(
                new VolumeQuota(QuotaKey.of(Namespace.of("default")), OptionalLong.empty(), OptionalLong.of(100)),
                0,
                AT));
        assertThat(problems(create("v", writer().build()))).containsExactly("capacityRange");
        cluster.ok(
                create("v", writer().capacityRange(CapacityRange.atLeast(100)).build()));
        cluster.ok(Cluster.register("registered", writer().build()));
    }

    @Test
    void volumeThatIsToBeCreatedHasNothingThatTheProviderGives() {
        assertThat(problems(create(
                        "v",
                        writer().externalVolumeId(ExternalVolumeId.of("ext"))
                                .volumeContext(VolumeContext.of(Map.of("a", "b")))
                                .build())))
                .containsExactly("externalVolumeId", "volumeContext");
    }

    @Test
    void onlyTheRequisiteTopologyOfARegisteredVolumeIsItsTopology() {
        Topology zone = Topology.of("zone", "z1");
        VolumeSpec placed = writer().accessibilityRequirements(TopologyRequirement.requisite(zone))
                .build();
        cluster.ok(Cluster.register("registered", placed));
        cluster.ok(create("created", placed));
        assertThat(cluster.get("registered").facts().accessibleTopology()).containsExactly(zone);
        assertThat(cluster.get("created").facts().accessibleTopology()).isEmpty();
        Topology other = Topology.of("zone", "z2");
        cluster.ok(new VolumeCommand.RegisterVolume(
                vol("reported"),
                placed,
                VolumeOrigin.REGISTERED,
                ProviderFacts.builder().accessibleTopology(List.of(other)).build(),
                AT));
        assertThat(cluster.get("reported").facts().accessibleTopology()).containsExactly(other);
    }

    @Test
    void latestRefusalsOfCreationsAreKept() {
        RefusedCreation.Reason reason = new RefusedCreation.Reason(Optional.empty(), "full");
        for (int i = 0; i <= RefusedCreation.KEPT; i++) {
            cluster.ok(create("v" + i, writer().build()));
            cluster.ok(new VolumeCommand.DeregisterVolume(vol("v" + i), true, 0, Optional.of(reason), AT));
        }
        List<RefusedCreation> kept = Step.collect(cluster.state.rows(RowType.REFUSED_CREATIONS));
        assertThat(kept).hasSize(RefusedCreation.KEPT);
        assertThat(kept.get(0).volume()).isEqualTo(vol("v1"));
    }
}

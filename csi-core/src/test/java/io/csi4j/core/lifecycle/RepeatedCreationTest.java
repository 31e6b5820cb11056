package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A creation whose key has a volume already, and a creation that declares what only the provider can give. */
class RepeatedCreationTest {
    private static final RequestedCapability SINGLE = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final VolumeRig rig = VolumeRig.started();

    private static VolumeSpec.Builder spec() {
        return VolumeRig.spec()
                .parameters(Map.of("type", "ssd"))
                .mutableParameters(Map.of("iops", "100"))
                .mountOptions(MountOptions.of("ext4"))
                .capacityRange(CapacityRange.atLeast(100))
                .accessibilityRequirements(TopologyRequirement.requisite(Topology.of("zone", "z1")));
    }

    @Test
    void repeatedCreationWithItsOwnNameNeedsNoMoreThanTheFirst() {
        VolumeSpec named = spec().name("chosen").build();
        Volume made = rig.done(rig.engine().volumes().create(VolumeRig.VOL, named));
        rig.access = (caller, request) -> !request.permission().equals(Permission.MANAGEMENT);
        assertThat(rig.done(rig.engine().volumes().create(VolumeRig.VOL, named)).createIndex())
                .isEqualTo(made.createIndex());
        rig.failed(
                rig.engine()
                        .volumes()
                        .create(VolumeRig.VOL, spec().name("another").build()),
                AccessDeniedException.class);
    }

    static Stream<Arguments> otherFields() {
        return Stream.of(
                other("requestedCapabilities", spec -> spec.requestedCapabilities(List.of(SINGLE))),
                other("parameters", spec -> spec.parameters(Map.of("type", "hdd"))),
                other("mutableParameters", spec -> spec.mutableParameters(Map.of("iops", "200"))),
                other("mountOptions", spec -> spec.mountOptions(MountOptions.of("xfs"))),
                other("capacityRange", spec -> spec.capacityRange(CapacityRange.atLeast(200))),
                other(
                        "accessibilityRequirements",
                        spec -> spec.accessibilityRequirements(
                                TopologyRequirement.requisite(Topology.of("zone", "z2")))),
                other(
                        "contentSource",
                        spec -> spec.contentSource(new VolumeContentSource.SnapshotSource(SnapshotId.of("s")))),
                other("secrets", spec -> spec.secrets(Secrets.of(Map.of("password", "hunter3")))),
                other("fencingPolicy", spec -> spec.fencingPolicy(FencingPolicy.onFence())),
                other("name", spec -> spec.name("another")));
    }

    private static Arguments other(String field, UnaryOperator<VolumeSpec.Builder> change) {
        return Arguments.of(field, change);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("otherFields")
    void creationWithAnotherFieldIsRefusedAndChangesNothing(String field, UnaryOperator<VolumeSpec.Builder> change) {
        Volume made = rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec().build()));
        int calls = rig.gateway.calls().size();
        RejectedException failure = rig.failed(
                rig.engine()
                        .volumes()
                        .create(VolumeRig.VOL, change.apply(spec()).build()),
                RejectedException.class);
        assertThat(failure.reason())
                .isInstanceOfSatisfying(
                        Rejection.ConflictingFields.class,
                        conflict -> assertThat(conflict.problems())
                                .extracting(Problem::field)
                                .containsExactly(field));
        assertThat(failure).hasMessageContaining(field).hasMessageNotContaining("hunter");
        assertThat(rig.volume()).isEqualTo(made);
        assertThat(rig.gateway.calls()).hasSize(calls);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("otherFields")
    void creationOfAnotherServerWithAnotherFieldIsRefusedByTheState(
            String field, UnaryOperator<VolumeSpec.Builder> change) {
        Volume made = rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec().build()));
        VolumeSpec other = change.apply(spec()).build();
        var late = new VolumeCommand.RegisterVolume(
                VolumeRig.VOL, other, VolumeOrigin.CREATED, ProviderFacts.none(), rig.now());
        assertThat(rig.log.submit(late).join().accepted()).isFalse();
        assertThat(rig.volume()).isEqualTo(made);
    }

    @Test
    void secondCreationWithEqualFieldsReturnsExistingVolume() {
        Volume made = rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec().build()));
        assertThat(rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec().build())))
                .isEqualTo(made);
        assertThat(rig.gateway.requests(Rpc.CREATE_VOLUME)).hasSize(1);
    }

    @Test
    void secondCreationOfExpandedVolumeReturnsItUnchanged() {
        rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec().build()));
        rig.done(rig.engine().volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(500)));
        Volume grown = rig.volume();
        assertThat(rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec().build())))
                .isEqualTo(grown);
        assertThat(rig.volume().spec().capacityRange()).contains(CapacityRange.atLeast(500));
    }

    @Test
    void stateRejectsCreationOfVolumeKeyRegisteredByOtherServer() {
        rig.done(rig.engine().volumes().register(VolumeRig.VOL, VolumeRig.spec().build()));
        var late = new VolumeCommand.RegisterVolume(
                VolumeRig.VOL, VolumeRig.spec().build(), VolumeOrigin.CREATED, ProviderFacts.none(), rig.now());
        assertThat(rig.log.submit(late).join().accepted()).isFalse();
    }

    @Test
    void creationWithDeclaredVolumeContextIsRejectedBeforeCallingPlugin() {
        VolumeSpec declared =
                spec().volumeContext(VolumeContext.of(Map.of("pool", "fast"))).build();
        CsiRequestException failure =
                rig.failed(rig.engine().volumes().create(VolumeRig.VOL, declared), CsiRequestException.class);
        assertThat(failure.problems()).extracting(Problem::field).containsExactly("volumeContext");
        assertThat(failure).hasMessageNotContaining("fast");
        assertThat(rig.gateway.calls()).isEmpty();
        assertThat(rig.log.snapshot().volume(VolumeRig.VOL)).isEmpty();
    }

    @Test
    void volumeContextOfCreatedVolumeCannotBeChanged() {
        rig.done(rig.engine().volumes().create(VolumeRig.VOL, spec().build()));
        VolumeSpec other = spec().volumeContext(VolumeContext.of(Map.of("made", "elsewhere")))
                .build();
        RejectedException failure =
                rig.failed(rig.engine().volumes().register(VolumeRig.VOL, other), RejectedException.class);
        assertThat(failure).hasMessageContaining("volumeContext").hasMessageNotContaining("elsewhere");
        VolumeSpec same =
                spec().volumeContext(VolumeContext.of(Map.of("made", "here"))).build();
        rig.done(rig.engine().volumes().register(VolumeRig.VOL, same));
        assertThat(rig.volume().volumeContext()).isEqualTo(VolumeContext.of(Map.of("made", "here")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("otherFields")
    void registrationDuringCreationDoesNotChangeTheRequestedVolume(
            String field, UnaryOperator<VolumeSpec.Builder> change) {
        rig.gateway.hang(Rpc.CREATE_VOLUME);
        CompletableFuture<Volume> creation = rig.engine().volumes().create(VolumeRig.VOL, spec().build());
        rig.clock.run();
        Volume creating = rig.volume();
        assertThat(creating.phase()).isEqualTo(VolumePhase.CREATING);
        VolumeSpec other = change.apply(spec()).build();
        if (field.equals("secrets") || field.equals("fencingPolicy")) {
            rig.done(rig.follower().volumes().register(VolumeRig.VOL, other));
            assertThat(rig.volume().spec())
                    .as("a field that the provider does not use can change")
                    .isNotEqualTo(creating.spec());
        } else {
            RejectedException failure =
                    rig.failed(rig.follower().volumes().register(VolumeRig.VOL, other), RejectedException.class);
            assertThat(failure).hasMessageContaining(field);
            assertThat(rig.volume()).isEqualTo(creating);
        }
        assertThat(creation).isNotDone();
    }
}

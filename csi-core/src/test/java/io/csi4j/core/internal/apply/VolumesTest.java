package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.ZONE;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.checkpoint;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.register;
import static io.csi4j.core.internal.apply.Cluster.spec;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.READ;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VolumesTest {
    private static VolumeCommand.RegisterVolume create(String id) {
        return new VolumeCommand.RegisterVolume(
                vol(id), spec(SINGLE_NODE_WRITER).build(), VolumeOrigin.CREATED, ProviderFacts.none(), AT);
    }

    private static VolumeCommand.RecordProviderFacts providerFacts(String id, ProviderFacts facts) {
        return new VolumeCommand.RecordProviderFacts(vol(id), facts, AT);
    }

    private static ProviderFacts withExternalId(String externalId) {
        return ProviderFacts.builder()
                .externalVolumeId(ExternalVolumeId.of(externalId))
                .build();
    }

    private static VolumeCommand.DeregisterVolume deregister(String id, boolean force) {
        return new VolumeCommand.DeregisterVolume(vol(id), force, AT);
    }

    private static VolumeCommand.ForgetVolume forget(String id) {
        return new VolumeCommand.ForgetVolume(vol(id), 0, "operator", "by the test", AT);
    }

    private static VolumeCommand.SetVolumePhase phase(String id, VolumePhase phase) {
        return new VolumeCommand.SetVolumePhase(vol(id), phase, AT);
    }

    @Test
    void repeatedRegistrationChangesNothingAndRegistrationWithOtherPluginIsRejected() {
        Cluster cluster = Cluster.attaching();
        VolumeSpec declared = spec(SINGLE_NODE_WRITER).build();
        var first = effects(cluster.ok(register("v", declared)), Effect.VolumeStored.class)
                .get(0);
        assertThat(first.created()).isTrue();
        assertThat(first.volume().createIndex()).isEqualTo(1);
        assertThat(first.volume().createdAt()).isEqualTo(AT);
        cluster.unchanged(register("v", declared));
        assertThat(cluster.get("v").modifyIndex()).isEqualTo(1);
        VolumeSpec other = VolumeSpec.builder(PluginId.of("q"))
                .requestedCapabilities(declared.requestedCapabilities())
                .build();
        Rejection.ConflictingFields refused = cluster.refused(Rejection.ConflictingFields.class, register("v", other));
        assertThat(refused.problems()).extracting(Problem::field).containsExactly("pluginId");
        assertThat(refused.message()).contains("default/v", "plugin p", "another id");
    }

    @Test
    void invalidSpecificationIsRejected() {
        Cluster cluster = Cluster.attaching();
        VolumeSpec none = spec().name("x".repeat(200)).restore();
        Rejection.InvalidRequest refused = cluster.refused(Rejection.InvalidRequest.class, register("v", none));
        assertThat(refused.problems()).hasSize(2);
        cluster.refused(
                Rejection.InvalidRequest.class,
                new VolumeCommand.RegisterVolume(
                        vol("v"),
                        spec(SINGLE_NODE_WRITER)
                                .externalVolumeId(ExternalVolumeId.of("e"))
                                .build(),
                        VolumeOrigin.CREATED,
                        ProviderFacts.none(),
                        AT));
        // A valid specification may be invalid together with the registered one.
        cluster.ok(register(
                "v",
                spec(SINGLE_NODE_WRITER).mountOptions(MountOptions.of("ext4")).build()));
        VolumeSpec block = spec().requestedCapabilities(List.of(RequestedCapability.block(SINGLE_NODE_WRITER)))
                .build();
        cluster.refused(Rejection.InvalidRequest.class, register("v", block));
    }

    @Test
    void updateWithOutdatedModifyIndexIsRejected() {
        Cluster cluster = Cluster.attaching().volume("v", SINGLE_NODE_WRITER);
        VolumeSpec larger =
                spec(SINGLE_NODE_WRITER).capacityRange(CapacityRange.atLeast(5)).build();
        cluster.refused(Rejection.VolumeNotFound.class, new VolumeCommand.UpdateVolume(vol("w"), larger, 0, AT));
        Rejection.VolumeChanged refused = cluster.refused(
                Rejection.VolumeChanged.class, new VolumeCommand.UpdateVolume(vol("v"), larger, 99, AT));
        assertThat(refused.modifyIndex()).isEqualTo(1);
        cluster.ok(new VolumeCommand.UpdateVolume(vol("v"), larger, 1, AT.plusSeconds(5)));
        Volume volume = cluster.get("v");
        assertThat(volume.spec().capacityRange()).contains(CapacityRange.atLeast(5));
        assertThat(volume.createIndex()).isEqualTo(1);
        assertThat(volume.modifyIndex()).isGreaterThan(1);
        assertThat(volume.createdAt()).isEqualTo(AT);
        assertThat(volume.modifiedAt()).isEqualTo(AT.plusSeconds(5));
    }

    @Test
    void registeredVolumeHasDeclaredTopology() {
        Cluster cluster = Cluster.attaching();
        VolumeSpec placed = spec(SINGLE_NODE_WRITER)
                .accessibilityRequirements(TopologyRequirement.requisite(ZONE))
                .build();
        cluster.ok(register("v", placed));
        assertThat(cluster.get("v").facts().accessibleTopology()).containsExactly(ZONE);
        cluster.unchanged(register("v", placed));
        cluster.refused(
                Rejection.ConflictingFields.class,
                register("v", spec(SINGLE_NODE_WRITER).build()));
        cluster.ok(new VolumeCommand.RegisterVolume(vol("w"), placed, VolumeOrigin.CREATED, ProviderFacts.none(), AT));
        assertThat(cluster.get("w").facts().accessibleTopology())
                .as("the provider will report the topology")
                .isEmpty();
    }

    @Test
    void secondRegistrationOfSameExternalIdIsRejected() {
        Cluster cluster = Cluster.attaching();
        VolumeSpec declared = spec(SINGLE_NODE_WRITER)
                .externalVolumeId(ExternalVolumeId.of("ext"))
                .build();
        cluster.ok(register("v", declared));
        Rejection.ExternalIdTaken refused = cluster.refused(Rejection.ExternalIdTaken.class, register("w", declared));
        assertThat(refused.holder()).isEqualTo(vol("v"));
        assertThat(refused.message()).contains("default/v", "default/w", "ext", "plugin p");
        // Without an external id, the volume id is the external id, in all namespaces.
        cluster.volume("x", SINGLE_NODE_WRITER);
        VolumeKey elsewhere = VolumeKey.of("other", "x");
        cluster.refused(
                Rejection.ExternalIdTaken.class,
                new VolumeCommand.RegisterVolume(
                        elsewhere,
                        spec(SINGLE_NODE_WRITER).build(),
                        VolumeOrigin.REGISTERED,
                        ProviderFacts.none(),
                        AT));
        VolumeSpec otherPlugin = VolumeSpec.builder(PluginId.of("q"))
                .requestedCapabilities(declared.requestedCapabilities())
                .externalVolumeId(ExternalVolumeId.of("ext"))
                .build();
        cluster.ok(register("y", otherPlugin));
        // A volume that is being created has no external id yet, and must not get the id of another volume.
        cluster.ok(create("z"));
        cluster.refused(Rejection.ExternalIdTaken.class, providerFacts("z", withExternalId("ext")));
        cluster.ok(deregister("v", false));
        cluster.ok(providerFacts("z", withExternalId("ext")));
        assertThat(cluster.state.volumeByExternalId(PLUGIN, ExternalVolumeId.of("ext")))
                .contains(vol("z"));
    }

    @Test
    void nameOfCreatedVolumeHasReadablePartOfItsId() {
        Cluster cluster = Cluster.attaching();
        cluster.ok(create("Data Disk[0]"));
        cluster.ok(create("\u6570\u636e"));
        assertThat(cluster.get("Data Disk[0]").name()).matches("data-disk-0-[0-9a-f]{24}");
        assertThat(cluster.get("\u6570\u636e").name())
                .as("of an id without a letter that all providers accept")
                .matches("vol-[0-9a-f]{24}");
    }

    @Test
    void createdVolumeBecomesAvailableWhenProviderReportsItsFacts() {
        Cluster cluster = Cluster.attaching();
        cluster.ok(create("v"));
        assertThat(cluster.get("v").phase()).isEqualTo(VolumePhase.CREATING);
        assertThat(cluster.state.unsettledVolumes()).containsExactly(vol("v"));
        cluster.unchanged(create("v"));
        cluster.refused(Rejection.WrongPhase.class, phase("v", VolumePhase.AVAILABLE));
        Rejection.CreationUnfinished refused =
                cluster.refused(Rejection.CreationUnfinished.class, deregister("v", false));
        assertThat(refused.message()).contains("default/v", "leaked");

        ProviderFacts facts = ProviderFacts.builder()
                .externalVolumeId(ExternalVolumeId.of("made"))
                .capacityBytes(100)
                .accessibleTopology(List.of(ZONE))
                .volumeContext(VolumeContext.of(Map.of("a", "b")))
                .build();
        cluster.ok(providerFacts("v", facts));
        cluster.unchanged(providerFacts("v", facts));
        Volume volume = cluster.get("v");
        assertThat(volume.phase()).isEqualTo(VolumePhase.AVAILABLE);
        assertThat(volume.remoteId()).isEqualTo(ExternalVolumeId.of("made"));
        assertThat(volume.facts()).isEqualTo(facts);

        // A later report, for example of the capacity, does not erase ids and contexts.
        cluster.ok(providerFacts("v", ProviderFacts.builder().capacityBytes(200).build()));
        assertThat(cluster.get("v").facts().capacityBytes()).isEqualTo(200);
        assertThat(cluster.get("v").facts().externalVolumeId()).isEqualTo(facts.externalVolumeId());
        assertThat(cluster.get("v").volumeContext()).isEqualTo(facts.volumeContext());
        cluster.refused(Rejection.ConflictingFields.class, providerFacts("v", withExternalId("another")));
        cluster.refused(Rejection.VolumeNotFound.class, providerFacts("w", facts));
    }

    @Test
    void deletionIsRejectedWhileVolumeIsInUse() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        Rejection.VolumeInUse refused = cluster.refused(Rejection.VolumeInUse.class, phase("v", VolumePhase.DELETING));
        assertThat(refused.message())
                .contains("default/v", "allocation a on node n1", "attached on [n1]")
                .endsWith("; end allocation a, which releases its claims, then wait for the detach");
        cluster.ended("a", "n1");
        cluster.ok(checkpoint("v", "a", ClaimState.UNPUBLISHING));
        assertThat(cluster.refused(Rejection.VolumeInUse.class, phase("v", VolumePhase.DELETING))
                        .message())
                .endsWith("; wait for the detach: no allocation has the volume any more");
        cluster.release("v", "a");
        cluster.ok(phase("v", VolumePhase.DELETING));
        cluster.unchanged(phase("v", VolumePhase.DELETING));
        cluster.refused(
                Rejection.WrongPhase.class,
                register("v", spec(SINGLE_NODE_WRITER).build()));
        cluster.refused(Rejection.WrongPhase.class, phase("v", VolumePhase.CREATING));
        cluster.ok(phase("v", VolumePhase.AVAILABLE));
        cluster.ok(phase("v", VolumePhase.DELETING));
        cluster.ok(deregister("v", false));
        cluster.refused(Rejection.VolumeNotFound.class, deregister("v", false));
        cluster.refused(Rejection.VolumeNotFound.class, phase("v", VolumePhase.DELETING));
        // A cancelled creation must not become AVAILABLE, because the external id of the volume is unknown.
        cluster.ok(create("w"));
        cluster.ok(phase("w", VolumePhase.DELETING));
        cluster.refused(Rejection.WrongPhase.class, phase("w", VolumePhase.AVAILABLE));
        cluster.ok(providerFacts("w", withExternalId("late")));
        assertThat(cluster.get("w").phase())
                .as("the volume is still being deleted")
                .isEqualTo(VolumePhase.DELETING);
        assertThat(cluster.get("w").remoteId()).isEqualTo(ExternalVolumeId.of("late"));
    }

    @Test
    void volumeInUseIsRemovedOnlyAtTheWordOfAnOperatorAfterItsAllocationsEnded() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", MULTI_NODE_MULTI_WRITER);
        cluster.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.claim("b", "n2", "v", READ, MULTI_NODE_MULTI_WRITER);
        Rejection.VolumeInUse refused = cluster.refused(Rejection.VolumeInUse.class, deregister("v", false));
        assertThat(refused.holders()).hasSize(2);
        assertThat(refused.message())
                .endsWith("; end its allocations, which releases their claims, then wait for the detach");
        assertThat(new Rejection.VolumeInUse(refused.key(), List.of(), List.of()).message())
                .as("for a caller who may not see the claims")
                .isEqualTo("volume default/v is in use; end its allocations, which releases their claims, then wait for"
                        + " the detach");
        cluster.refused(Rejection.VolumeInUse.class, forget("v"));
        cluster.ended("a", "n1");
        cluster.refused(Rejection.VolumeInUse.class, forget("v"));
        cluster.ok(new AllocationCommand.RemoveAllocation(alloc("b"), AT));
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "", AT));
        cluster.refused(Rejection.VolumeInUse.class, deregister("v", false));
        cluster.refused(Rejection.VolumeInUse.class, deregister("v", true));
        var outcome = cluster.ok(forget("v"));
        Effect.VolumeRemoved removed =
                effects(outcome, Effect.VolumeRemoved.class).get(0);
        assertThat(removed.forgottenClaims())
                .extracting(h -> h.allocationId().value())
                .containsExactly("a", "b");
        assertThat(removed.forgottenAttachments()).containsExactly(NodeId.of("n1"), NodeId.of("n2"));
        assertThat(cluster.statusOf("n1"))
                .as("the removed node has no claims or attachments left")
                .isEmpty();
        assertThat(cluster.state.volumes(VolumeQuery.all()).items()).isEmpty();
    }

    @Test
    void lookupByBeginningOfVolumeIdFindsNoVolume() {
        Cluster cluster = Cluster.attaching().volume("vol-1", SINGLE_NODE_WRITER);
        cluster.refused(Rejection.VolumeNotFound.class, deregister("vol", false));
        cluster.refused(Rejection.VolumeNotFound.class, deregister("vol", true));
    }

    @Test
    void markForGcCommandChangesOnlyModifyIndex() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        Volume before = cluster.get("v");
        cluster.ok(new VolumeCommand.MarkForGc(vol("v"), AT));
        Volume after = cluster.get("v");
        assertThat(after.modifyIndex()).isGreaterThan(before.modifyIndex());
        assertThat(after.toBuilder()
                        .modified(before.modifyIndex(), before.modifiedAt())
                        .build())
                .isEqualTo(before);
        cluster.refused(Rejection.VolumeNotFound.class, new VolumeCommand.MarkForGc(vol("w"), AT));
    }

    @Test
    void rejectedBatchChangesNothingAndReportsRejectedCommand() {
        Cluster cluster = Cluster.attaching();
        List<Command> commands = List.of(
                register("v1", spec(SINGLE_NODE_WRITER).build()),
                register("v2", spec(SINGLE_NODE_WRITER).build()),
                deregister("v3", false));
        Rejection.InBatch refused = cluster.refused(Rejection.InBatch.class, new Batch(commands, AT));
        assertThat(refused.position()).isEqualTo(2);
        assertThat(refused.cause()).isInstanceOf(Rejection.VolumeNotFound.class);
        assertThat(refused.message()).contains("command 2", "default/v3");
        var outcome = cluster.ok(new Batch(commands.subList(0, 2), AT));
        assertThat(effects(outcome, Effect.VolumeStored.class)).hasSize(2);
        assertThat(cluster.get("v1").createIndex()).isEqualTo(cluster.get("v2").createIndex());
        cluster.unchanged(new Batch(commands.subList(0, 2), AT));
        assertThatIllegalArgumentException().isThrownBy(() -> new Batch(List.of(), AT));
        assertThatIllegalArgumentException().isThrownBy(() -> new Batch(List.of(new Batch(commands, AT)), AT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CommandApplication.apply(cluster.state, 0, commands.get(0)));
    }

    @Test
    void volumesOnAllListedPagesMeetAllFilterConditions() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        for (int i = 0; i < 6; i++) {
            for (String namespace : List.of("default", "other")) {
                cluster.ok(new VolumeCommand.RegisterVolume(
                        VolumeKey.of(namespace, (i < 3 ? "vol-0" : "x-0") + i),
                        VolumeSpec.builder(PluginId.of(i % 2 == 0 ? "p" : "q"))
                                .externalVolumeId(ExternalVolumeId.of(namespace + i))
                                .requestedCapabilities(spec(VolumeAccessMode.MULTI_NODE_MULTI_WRITER)
                                        .build()
                                        .requestedCapabilities())
                                .build(),
                        VolumeOrigin.REGISTERED,
                        ProviderFacts.none(),
                        AT));
            }
        }
        cluster.claim("a", "n1", "vol-00", READ, MULTI_NODE_MULTI_WRITER);
        cluster.claim("a", "n1", "x-04", READ, MULTI_NODE_MULTI_WRITER);
        assertThat(ids(cluster, VolumeQuery.all())).hasSize(12).isSorted();
        assertThat(ids(cluster, VolumeQuery.builder().idPrefix("vol-").build())).hasSize(6);
        assertThat(ids(
                        cluster,
                        VolumeQuery.builder()
                                .namespace(Namespace.of("other"))
                                .idPrefix("vol-")
                                .pluginId(PLUGIN)
                                .build()))
                .containsExactly("other/vol-00", "other/vol-02");
        assertThat(ids(
                        cluster,
                        VolumeQuery.builder().idPrefix("vol-").pluginId(PLUGIN).build()))
                .hasSize(4);
        assertThat(ids(cluster, VolumeQuery.builder().nodeId(NodeId.of("n1")).build()))
                .containsExactly("default/vol-00", "default/x-04");
        assertThat(ids(
                        cluster,
                        VolumeQuery.builder()
                                .nodeId(NodeId.of("n1"))
                                .idPrefix("x")
                                .build()))
                .containsExactly("default/x-04");
        assertThat(ids(
                        cluster,
                        VolumeQuery.builder().namespace(Namespace.of("none")).build()))
                .isEmpty();

        List<String> paged = new ArrayList<>();
        Optional<VolumeKey> after = Optional.empty();
        do {
            ListPage<Volume, VolumeKey> page = cluster.state.volumes(VolumeQuery.builder()
                    .idPrefix("vol-")
                    .limit(2)
                    .after(after.orElse(null))
                    .build());
            page.items().forEach(volume -> paged.add(volume.key().toString()));
            after = page.next();
            // The listing continues after the key of the page token even if that volume was removed.
            after.filter(token -> token.equals(VolumeKey.of("default", "vol-01")))
                    .ifPresent(token -> cluster.ok(new VolumeCommand.DeregisterVolume(token, false, AT)));
        } while (after.isPresent());
        assertThat(paged).hasSize(6).isSorted();
        assertThat(ids(
                        cluster,
                        VolumeQuery.builder()
                                .after(VolumeKey.of("default", "vol-01x"))
                                .limit(1)
                                .build()))
                .containsExactly("default/vol-02");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VolumeQuery.builder().limit(0));
    }

    private static List<String> ids(Cluster cluster, VolumeQuery query) {
        return cluster.state.volumes(query).items().stream()
                .map(volume -> volume.key().toString())
                .toList();
    }

    @Test
    void volumeViewContainsPluginAndAllocationsFromSameState() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        NaiveState before = cluster.state.copy();
        VolumeView view = VolumeView.of(cluster.state, vol("v")).orElseThrow();
        assertThat(view.schedulable()).isTrue();
        assertThat(view.plugin().provider()).contains("csi.example.com");
        assertThat(view.plugin().vendorVersion()).contains("1.0");
        assertThat(view.claims()).hasSize(1);
        assertThat(view.claims().get(0).allocation()).isPresent();
        for (int i = 0; i < 1000; i++) {
            VolumeView.of(cluster.state, vol("v"));
        }
        assertThat(cluster.state.sameRows(before)).isTrue();
        assertThat(VolumeView.of(cluster.state, vol("w"))).isEmpty();

        cluster.fingerprint("n1");
        VolumeView without = VolumeView.of(cluster.state, vol("v")).orElseThrow();
        assertThat(without.schedulable()).isFalse();
        assertThat(without.plugin().isEmpty()).isTrue();
        assertThat(view.schedulable()).as("an existing view does not change").isTrue();
    }

    @Test
    void toStringOfOutcomesAndCommandsHidesSecrets() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        Map<String, String> secret = Map.of("k", "hunter2");
        VolumeSpec spec = spec(SINGLE_NODE_WRITER)
                .secrets(Secrets.of(secret))
                .parameters(secret)
                .volumeContext(VolumeContext.of(secret))
                .mountOptions(MountOptions.of("ext4", "hunter2"))
                .build();
        Outcome stored = cluster.ok(register("v", spec));
        cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
        Outcome again = cluster.ok(Cluster.take("a", Cluster.request("v", WRITE, SINGLE_NODE_WRITER)));
        Rejection conflict = cluster.refused(
                Rejection.ConflictingFields.class,
                register(
                        "v",
                        spec.toBuilder()
                                .parameters(Map.of("k", "hunter2x"))
                                .mountOptions(MountOptions.of("ext4", "hunter2x"))
                                .build()));
        Command command = register("v", spec);
        assertThat("" + stored + again + conflict + conflict.message() + command)
                .contains("default/v")
                .doesNotContain("hunter2");
    }

    @Test
    void volumeTimestampsEqualTimestampsOfCommands() {
        Cluster cluster = Cluster.attaching();
        Instant at = Instant.parse("1999-01-01T00:00:00Z");
        cluster.ok(new VolumeCommand.RegisterVolume(
                vol("v"), spec(SINGLE_NODE_WRITER).build(), VolumeOrigin.REGISTERED, ProviderFacts.none(), at));
        assertThat(cluster.get("v").createdAt()).isEqualTo(at);
        assertThat(cluster.get("v").modifiedAt()).isEqualTo(at);
    }

    @Test
    void messageForWrongVolumePhaseContainsCurrentAndRequestedPhase() {
        assertThat(new Rejection.WrongPhase(VolumeKey.of("default", "v"), VolumePhase.CREATING, VolumePhase.AVAILABLE)
                        .message())
                .isEqualTo(
                        "volume default/v is CREATING, not AVAILABLE; wait until the provider has made it, or delete it");
        assertThat(new Rejection.WrongPhase(VolumeKey.of("default", "v"), VolumePhase.DELETING, VolumePhase.AVAILABLE)
                        .message())
                .isEqualTo("volume default/v is DELETING, not AVAILABLE; wait until it is deleted, or withdraw its"
                        + " deletion");
        assertThat(new Rejection.WrongPhase(VolumeKey.of("default", "v"), VolumePhase.AVAILABLE, VolumePhase.CREATING)
                        .message())
                .isEqualTo("volume default/v is AVAILABLE and cannot become CREATING");
    }
}

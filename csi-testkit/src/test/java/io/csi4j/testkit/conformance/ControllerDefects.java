package io.csi4j.testkit.conformance;

import static io.csi4j.testkit.conformance.Defect.answer;
import static io.csi4j.testkit.conformance.Defect.code;
import static io.csi4j.testkit.conformance.Defect.endless;
import static io.csi4j.testkit.conformance.Defect.error;
import static io.csi4j.testkit.conformance.Defect.ignores;
import static io.csi4j.testkit.conformance.Defect.planted;
import static io.csi4j.testkit.conformance.Defect.pretends;
import static io.csi4j.testkit.conformance.Defect.refuses;
import static io.csi4j.testkit.conformance.Defect.refusesRepeat;
import static io.csi4j.testkit.conformance.Defect.request;

import com.google.protobuf.Int64Value;
import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Defect.Variant;
import io.csi4j.testkit.conformance.FaultyFake.Behaviour;
import io.grpc.Status.Code;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Defects of Identity and Controller. */
final class ControllerDefects {
    private static final VolumeCapability ANY = VolumeCapability.newBuilder()
            .setMount(VolumeCapability.MountVolume.getDefaultInstance())
            .setAccessMode(VolumeCapability.AccessMode.newBuilder()
                    .setMode(VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER))
            .build();

    private ControllerDefects() {}

    static List<Defect> all() {
        return Stream.of(
                        identity(),
                        creates(),
                        createRepeats(),
                        copies(),
                        deletes(),
                        validates(),
                        lists(),
                        publishes(),
                        unpublishes(),
                        expands(),
                        modifies())
                .flatMap(List::stream)
                .toList();
    }

    private static Supplier<Behaviour> volume(UnaryOperator<Volume.Builder> change) {
        return answer(
                CreateVolumeResponse.class,
                response -> response.toBuilder()
                        .setVolume(change.apply(response.getVolume().toBuilder()))
                        .build());
    }

    private static Supplier<Behaviour> create(UnaryOperator<CreateVolumeRequest.Builder> change) {
        return request(
                CreateVolumeRequest.class,
                request -> change.apply(request.toBuilder()).build());
    }

    private static List<Defect> identity() {
        AtomicInteger counter = new AtomicInteger();
        return List.of(
                planted(
                        "Probe fails",
                        "R39",
                        "identity.probe",
                        refuses(ProbeRequest.class, any -> true, Code.FAILED_PRECONDITION)),
                planted(
                        "the plugin name has a blank",
                        "R19",
                        "identity.info",
                        answer(
                                GetPluginInfoResponse.class,
                                one -> one.toBuilder().setName("fake plugin").build())),
                planted(
                        "the plugin name has 70 characters",
                        "R19",
                        "identity.info",
                        answer(
                                GetPluginInfoResponse.class,
                                one -> one.toBuilder().setName("n".repeat(70)).build())),
                planted(
                        "the vendor version is missing",
                        "R37",
                        "identity.info",
                        answer(
                                GetPluginInfoResponse.class,
                                one -> one.toBuilder().clearVendorVersion().build())),
                planted(
                        "plugin capabilities differ from call to call",
                        "R38",
                        "identity.capabilities",
                        answer(
                                GetPluginCapabilitiesResponse.class,
                                one -> counter.incrementAndGet() % 2 == 1
                                        ? one
                                        : one.toBuilder()
                                                .removeCapabilities(one.getCapabilitiesCount() - 1)
                                                .build())),
                planted(
                        "the group controller has no capability",
                        "R42",
                        "identity.group-capabilities",
                        answer(
                                GroupControllerGetCapabilitiesResponse.class,
                                one -> one.toBuilder().clearCapabilities().build())),
                planted(
                        "LIST_VOLUMES_PUBLISHED_NODES without LIST_VOLUMES",
                        "R42",
                        "identity.dependencies",
                        answer(
                                ControllerGetCapabilitiesResponse.class,
                                one -> without(one, ControllerServiceCapability.RPC.Type.LIST_VOLUMES))),
                planted(
                        "LIST_VOLUME_HEALTH without GET_VOLUME_HEALTH",
                        "R42",
                        "identity.dependencies",
                        answer(
                                ControllerGetCapabilitiesResponse.class,
                                one -> without(one, ControllerServiceCapability.RPC.Type.GET_VOLUME_HEALTH))));
    }

    private static ControllerGetCapabilitiesResponse without(
            ControllerGetCapabilitiesResponse response, ControllerServiceCapability.RPC.Type type) {
        return response.toBuilder()
                .clearCapabilities()
                .addAllCapabilities(response.getCapabilitiesList().stream()
                        .filter(one -> one.getRpc().getType() != type)
                        .toList())
                .build();
    }

    private static List<Defect> creates() {
        AtomicInteger counter = new AtomicInteger();
        return List.of(
                planted(
                        "a missing name is replaced",
                        "R22",
                        "create.no-name",
                        create(one -> one.getName().isEmpty() ? one.setName("n" + counter.incrementAndGet()) : one)),
                planted(
                        "a missing name is FAILED_PRECONDITION",
                        "R22",
                        "create.no-name",
                        code(CreateVolumeRequest.class, Code.INVALID_ARGUMENT, Code.FAILED_PRECONDITION)),
                planted(
                        "missing capabilities are replaced",
                        "R22",
                        "create.no-capabilities",
                        create(one -> one.getVolumeCapabilitiesCount() == 0 ? one.addVolumeCapabilities(ANY) : one)),
                planted("a missing access type is replaced", "R22", "create.no-access-type", create(one -> {
                            if (one.getVolumeCapabilitiesCount() > 0
                                    && !one.getVolumeCapabilities(0).hasMount()
                                    && !one.getVolumeCapabilities(0).hasBlock()) {
                                one.setVolumeCapabilities(0, ANY);
                            }
                            return one;
                        }))
                        .warns(),
                planted("a missing access mode is replaced", "R22", "create.no-access-mode", create(one -> {
                            if (one.getVolumeCapabilitiesCount() > 0
                                    && !one.getVolumeCapabilities(0).hasAccessMode()) {
                                one.setVolumeCapabilities(0, ANY);
                            }
                            return one;
                        }))
                        .warns(),
                planted(
                        "of two access modes only the first one is heeded",
                        "R52",
                        "create.two-modes",
                        firstCapability()),
                planted(
                        "of mount and block only the first one is heeded",
                        "R52",
                        "create.mount-and-block",
                        firstCapability()),
                planted("an unknown access mode is ignored", "R52", "create.unknown-mode", firstCapability())
                        .warns(),
                planted("the volume id is missing", "R57", "create.values", volume(Volume.Builder::clearVolumeId)),
                planted(
                        "the volume id has 200 bytes",
                        "R16",
                        "create.values",
                        volume(one -> one.setVolumeId("v".repeat(200)))),
                planted(
                        "the volume context has 5 KiB",
                        "R16",
                        "create.values",
                        volume(one -> one.putVolumeContext("large", "x".repeat(5000)))),
                planted(
                        "the size of a volume is negative",
                        "R23",
                        "create.values",
                        volume(one -> one.setCapacityBytes(-1))),
                planted(
                        "a request without a size is refused",
                        "R22",
                        "create.no-size",
                        refuses(CreateVolumeRequest.class, one -> !one.hasCapacityRange(), Code.INVALID_ARGUMENT)),
                planted(
                        "a volume is smaller than requested",
                        "R55",
                        "create.size",
                        volume(one -> one.setCapacityBytes(one.getCapacityBytes() / 2))),
                planted(
                        "a volume is greater than its limit",
                        "R55",
                        "create.limit",
                        volume(one -> one.setCapacityBytes(4 * one.getCapacityBytes()))),
                planted(
                                "a negative size is accepted",
                                "R23",
                                "create.negative-size",
                                create(one ->
                                        one.getCapacityRange().getRequiredBytes() < 0 ? one.clearCapacityRange() : one))
                        .warns(),
                planted(
                        "too large a volume becomes a small one",
                        "R58",
                        "create.too-large",
                        create(one ->
                                one.getCapacityRange().getRequiredBytes() > 1L << 50 ? one.clearCapacityRange() : one)),
                planted(
                        "names of 128 bytes are refused",
                        "R16",
                        "create.longest-name",
                        refuses(CreateVolumeRequest.class, one -> one.getName().length() > 100, Code.INVALID_ARGUMENT)),
                planted(
                        "names are cut after 100 bytes",
                        "R16",
                        "create.long-names-differ",
                        create(one -> one.getName().length() > 100
                                ? one.setName(one.getName().substring(0, 100))
                                : one)),
                planted(
                                "names with Unicode characters are refused",
                                "R21",
                                "create.unicode-name",
                                refuses(
                                        CreateVolumeRequest.class,
                                        one -> one.getName().getBytes(StandardCharsets.UTF_8).length
                                                != one.getName().length(),
                                        Code.INVALID_ARGUMENT))
                        .warns());
    }

    private static Supplier<Behaviour> firstCapability() {
        return create(one -> {
            while (one.getVolumeCapabilitiesCount() > 1) {
                one.removeVolumeCapabilities(1);
            }
            return one;
        });
    }

    private static List<Defect> createRepeats() {
        AtomicInteger counter = new AtomicInteger();
        return List.of(
                planted(
                        "each call makes a volume",
                        "R51",
                        "create.same-name",
                        create(one ->
                                one.setName(one.getName().isEmpty() ? "" : one.getName() + counter.incrementAndGet()))),
                planted(
                        "a repeated call is ALREADY_EXISTS",
                        "R51",
                        "create.same-name",
                        refusesRepeat(CreateVolumeRequest.class, Code.ALREADY_EXISTS)),
                planted(
                        "the volume context differs from call to call",
                        "R57",
                        "create.same-name",
                        volume(one -> one.putVolumeContext("call", "c" + counter.incrementAndGet()))),
                planted("all names return one volume", "R57", "create.two-names", create(one -> one.setName("one"))),
                planted(
                        "another size returns the existing volume",
                        "R58",
                        "create.same-name-other-size",
                        firstFor(request -> request.getName())),
                planted(
                        "another size is INVALID_ARGUMENT",
                        "R58",
                        "create.same-name-other-size",
                        code(CreateVolumeRequest.class, Code.ALREADY_EXISTS, Code.INVALID_ARGUMENT)),
                planted(
                        "a limit below the size returns the existing volume",
                        "R51",
                        "create.same-name-smaller-limit",
                        firstFor(request -> request.getName())),
                planted(
                        "another access type makes a second volume",
                        "R51",
                        "create.same-name-other-type",
                        create(one -> one.getVolumeCapabilitiesCount() > 0
                                        && one.getVolumeCapabilities(0).hasBlock()
                                ? one.setName(one.getName() + "-block")
                                : one)),
                planted(
                        "the name of a deleted volume stays taken",
                        "R51",
                        "create.name-after-delete",
                        refusesRepeat(CreateVolumeRequest.class, Code.ALREADY_EXISTS)),
                planted(
                        "another source returns the existing volume",
                        "R58",
                        "create.same-name-other-source",
                        firstFor(request -> request.getName())));
    }

    /** The first answer for a key is returned for ever. */
    private static Supplier<Behaviour> firstFor(Function<CreateVolumeRequest, Object> key) {
        return () -> {
            Map<Object, Message> first = new ConcurrentHashMap<>();
            return call -> {
                if (!(call.request() instanceof CreateVolumeRequest create)
                        || create.getName().isEmpty()) {
                    return call.forward();
                }
                Message known = first.get(key.apply(create));
                if (known == null) {
                    known = call.forward();
                    first.put(key.apply(create), known);
                }
                return known;
            };
        };
    }

    private static List<Defect> copies() {
        return List.of(
                planted(
                                "content_source is missing in the answer",
                                "R57",
                                "create.from-snapshot",
                                volume(Volume.Builder::clearContentSource))
                        .warns(),
                planted(
                        "an unknown snapshot gives an empty volume",
                        "R58",
                        "create.from-unknown-snapshot",
                        create(one -> one.getVolumeContentSource()
                                        .getSnapshot()
                                        .getSnapshotId()
                                        .contains("unknown")
                                ? one.clearVolumeContentSource()
                                : one)),
                planted(
                        "an unknown source volume is INTERNAL",
                        "R58",
                        "create.from-unknown-volume",
                        code(CreateVolumeRequest.class, Code.NOT_FOUND, Code.INTERNAL)),
                planted(
                        "a clone has the id of its source",
                        "R57",
                        "create.from-volume",
                        volume(one -> one.getContentSource().hasVolume()
                                ? one.setVolumeId(
                                        one.getContentSource().getVolume().getVolumeId())
                                : one)),
                planted(
                        "a copy ignores its limit",
                        "R55",
                        "create.copy-with-small-limit",
                        create(one -> one.hasVolumeContentSource() ? one.clearCapacityRange() : one)),
                planted(
                        "a copy ignores the requested size",
                        "R55",
                        "create.copy-of-requested-size",
                        create(one -> one.hasVolumeContentSource() ? one.clearCapacityRange() : one)),
                planted(
                        "a volume is accessible from elsewhere",
                        "R53",
                        "create.topology",
                        volume(one -> one.clearAccessibleTopology()
                                .addAccessibleTopology(
                                        Topology.newBuilder().putSegments("topology.csi4j.io/zone", "elsewhere")))),
                planted(
                        "the topology of a volume has a bad key",
                        "R24",
                        "create.topology",
                        volume(one -> one.clearAccessibleTopology()
                                .addAccessibleTopology(Topology.newBuilder().putSegments("Bad Key!", "zone-1")))),
                planted(
                        "an unknown topology is replaced",
                        "R53",
                        "create.unknown-topology",
                        create(one ->
                                one.getAccessibilityRequirements().toString().contains("csi4j-nowhere")
                                        ? one.clearAccessibilityRequirements()
                                        : one)),
                planted(
                                "unknown mutable parameters are accepted",
                                "R74",
                                "create.bad-mutable-parameters",
                                create(one -> one.removeModifiableParameters("csi4j-unknown-key")))
                        .in(Variant.INFEASIBLE));
    }

    private static List<Defect> deletes() {
        return List.of(
                planted(
                        "a missing id succeeds",
                        "R22",
                        "delete.no-id",
                        pretends(
                                DeleteVolumeRequest.class,
                                Code.INVALID_ARGUMENT,
                                DeleteVolumeResponse.getDefaultInstance())),
                planted(
                        "an unknown volume is NOT_FOUND",
                        "R59",
                        "delete.unknown",
                        refuses(
                                DeleteVolumeRequest.class,
                                one -> one.getVolumeId().contains("unknown"),
                                Code.NOT_FOUND)),
                planted(
                        "a second delete is NOT_FOUND",
                        "R59",
                        "delete.twice",
                        refusesRepeat(DeleteVolumeRequest.class, Code.NOT_FOUND)),
                planted(
                        "a delete does nothing",
                        "R59",
                        "delete.works",
                        ignores(DeleteVolumeRequest.class, DeleteVolumeResponse.getDefaultInstance())),
                planted("a delete takes every volume", "R57", "delete.other-stays", () -> {
                    Set<String> ids = ConcurrentHashMap.newKeySet();
                    return call -> {
                        Message answer = call.forward();
                        if (answer instanceof CreateVolumeResponse made) {
                            ids.add(made.getVolume().getVolumeId());
                        } else if (call.request() instanceof DeleteVolumeRequest gone) {
                            ids.forEach(id -> call.forward(
                                    gone.toBuilder().setVolumeId(id).build()));
                        }
                        return answer;
                    };
                }),
                planted(
                        "a volume with a snapshot is INTERNAL",
                        "R60",
                        "delete.with-snapshot",
                        withSnapshot(Code.INTERNAL)),
                planted(
                        "a volume takes its snapshots along",
                        "R60",
                        "delete.with-snapshot",
                        request(
                                CreateVolumeRequest.class,
                                one -> one.getVolumeContentSource().hasSnapshot()
                                        ? one.toBuilder()
                                                .setVolumeContentSource(VolumeContentSource.newBuilder()
                                                        .setSnapshot(VolumeContentSource.SnapshotSource.newBuilder()
                                                                .setSnapshotId("gone")))
                                                .build()
                                        : one)));
    }

    private static Supplier<Behaviour> withSnapshot(Code code) {
        return () -> {
            Set<String> sources = ConcurrentHashMap.newKeySet();
            return call -> {
                if (call.request() instanceof CreateSnapshotRequest made) {
                    sources.add(made.getSourceVolumeId());
                }
                if (call.request() instanceof DeleteVolumeRequest gone && sources.remove(gone.getVolumeId())) {
                    throw error(code);
                }
                return call.forward();
            };
        };
    }

    private static List<Defect> validates() {
        var confirmed = ValidateVolumeCapabilitiesResponse.newBuilder()
                .setConfirmed(ValidateVolumeCapabilitiesResponse.Confirmed.newBuilder()
                        .addVolumeCapabilities(ANY))
                .build();
        Class<ValidateVolumeCapabilitiesRequest> asked = ValidateVolumeCapabilitiesRequest.class;
        Class<ValidateVolumeCapabilitiesResponse> answered = ValidateVolumeCapabilitiesResponse.class;
        return List.of(
                planted(
                        "a missing id is NOT_FOUND",
                        "R22",
                        "validate.no-id",
                        refuses(asked, one -> one.getVolumeId().isEmpty(), Code.NOT_FOUND)),
                planted(
                        "missing capabilities are confirmed",
                        "R22",
                        "validate.no-capabilities",
                        pretends(asked, Code.INVALID_ARGUMENT, confirmed)),
                planted(
                        "an unknown volume is confirmed",
                        "R69",
                        "validate.unknown",
                        pretends(asked, Code.NOT_FOUND, confirmed)),
                planted(
                        "nothing is ever confirmed",
                        "R69",
                        "validate.confirmed",
                        answer(answered, one -> one.toBuilder().clearConfirmed().build())),
                planted(
                        "more is confirmed than was asked for",
                        "R69",
                        "validate.confirmed",
                        answer(
                                answered,
                                one -> confirmed.toBuilder()
                                        .setConfirmed(confirmed.getConfirmed().toBuilder()
                                                .addVolumeCapabilities(VolumeCapability.newBuilder()
                                                        .setBlock(VolumeCapability.BlockVolume.getDefaultInstance())))
                                        .build())),
                planted(
                                "an unknown access mode is confirmed",
                                "R69",
                                "validate.unknown-mode",
                                pretends(asked, Code.INVALID_ARGUMENT, confirmed))
                        .warns());
    }

    private static List<Defect> lists() {
        Class<ListVolumesResponse> listed = ListVolumesResponse.class;
        return List.of(
                planted(
                        "a bad token begins a new list",
                        "R72",
                        "list.bad-token",
                        request(
                                ListVolumesRequest.class,
                                one -> one.getStartingToken().equals("invalid-token")
                                        ? one.toBuilder().clearStartingToken().build()
                                        : one)),
                planted(
                        "a bad token is INVALID_ARGUMENT",
                        "R72",
                        "list.bad-token",
                        code(ListVolumesRequest.class, Code.ABORTED, Code.INVALID_ARGUMENT)),
                planted(
                                "a negative max_entries is no limit",
                                "R23",
                                "list.negative",
                                request(
                                        ListVolumesRequest.class,
                                        one -> one.getMaxEntries() < 0
                                                ? one.toBuilder()
                                                        .clearMaxEntries()
                                                        .build()
                                                : one))
                        .warns(),
                planted(
                        "the list is always empty",
                        "R70",
                        "list.created-and-deleted",
                        answer(listed, one -> one.toBuilder().clearEntries().build())),
                planted(
                        "deleted volumes are listed",
                        "R70",
                        "list.created-and-deleted",
                        ignores(DeleteVolumeRequest.class, DeleteVolumeResponse.getDefaultInstance())),
                planted("entries have no id", "R70", "list.values", answer(listed, one -> {
                    ListVolumesResponse.Builder list = one.toBuilder();
                    list.getEntriesBuilderList()
                            .forEach(entry -> entry.getVolumeBuilder().clearVolumeId());
                    return list.build();
                })),
                planted("a size in the list is negative", "R23", "list.values", answer(listed, one -> {
                    ListVolumesResponse.Builder list = one.toBuilder();
                    list.getEntriesBuilderList()
                            .forEach(entry -> entry.getVolumeBuilder().setCapacityBytes(-5));
                    return list.build();
                })),
                planted(
                        "max_entries is ignored",
                        "R70",
                        "list.pages",
                        request(
                                ListVolumesRequest.class,
                                one -> one.toBuilder().clearMaxEntries().build())),
                planted(
                        "next_token is missing",
                        "R70",
                        "list.pages",
                        answer(listed, one -> one.toBuilder().clearNextToken().build())),
                planted(
                        "the second page is the first one",
                        "R70",
                        "list.pages",
                        request(
                                ListVolumesRequest.class,
                                one -> one.toBuilder().clearStartingToken().build())),
                planted(
                        "next_token is always the same",
                        "R70",
                        "list.pages",
                        endless(ListVolumesRequest.class, one -> "same")),
                planted(
                        "next_token goes in circles",
                        "R70",
                        "list.pages",
                        endless(
                                ListVolumesRequest.class,
                                one -> one.getStartingToken().equals("left") ? "right" : "left")),
                planted(
                        "next_token is always another one",
                        "R70",
                        "list.pages",
                        endless(ListVolumesRequest.class, one -> one.getStartingToken() + "n")),
                planted("ids in the list have 200 bytes", "R16", "list.values", answer(listed, one -> {
                    ListVolumesResponse.Builder list = one.toBuilder();
                    list.getEntriesBuilderList()
                            .forEach(entry -> entry.getVolumeBuilder().setVolumeId("v".repeat(200)));
                    return list.build();
                })),
                planted("contexts in the list have 5 KiB", "R16", "list.values", answer(listed, one -> {
                    ListVolumesResponse.Builder list = one.toBuilder();
                    list.getEntriesBuilderList()
                            .forEach(entry -> entry.getVolumeBuilder().putVolumeContext("k", "x".repeat(5 << 10)));
                    return list.build();
                })),
                planted(
                        "a list under change is INTERNAL",
                        "R70",
                        "list.pages-under-change",
                        refuses(
                                ListVolumesRequest.class,
                                one -> !one.getStartingToken().isEmpty(),
                                Code.INTERNAL)),
                planted("published nodes are missing", "R71", "list.published-nodes", answer(listed, one -> {
                    ListVolumesResponse.Builder list = one.toBuilder();
                    list.getEntriesBuilderList().forEach(entry -> entry.clearStatus());
                    return list.build();
                })),
                planted(
                        "an unknown volume is returned",
                        "R73",
                        "get-volume.unknown",
                        pretends(
                                ControllerGetVolumeRequest.class,
                                Code.NOT_FOUND,
                                ControllerGetVolumeResponse.getDefaultInstance())),
                planted(
                        "another volume is returned",
                        "R73",
                        "get-volume.works",
                        answer(
                                ControllerGetVolumeResponse.class,
                                one -> one.toBuilder()
                                        .setVolume(Volume.newBuilder().setVolumeId("other"))
                                        .build())),
                planted(
                        "the available capacity is negative",
                        "R75",
                        "capacity.plain",
                        answer(
                                GetCapacityResponse.class,
                                one -> one.toBuilder().setAvailableCapacity(-1).build())),
                planted(
                        "the maximum size is below the minimum",
                        "R75",
                        "capacity.filtered",
                        answer(
                                GetCapacityResponse.class,
                                one -> one.toBuilder()
                                        .setMaximumVolumeSize(Int64Value.of(1))
                                        .setMinimumVolumeSize(Int64Value.of(2))
                                        .build())));
    }

    private static List<Defect> publishes() {
        Class<ControllerPublishVolumeRequest> asked = ControllerPublishVolumeRequest.class;
        var empty = ControllerPublishVolumeResponse.getDefaultInstance();
        AtomicInteger counter = new AtomicInteger();
        return List.of(
                planted(
                        "a missing volume id is NOT_FOUND",
                        "R22",
                        "controller-publish.no-id",
                        refuses(asked, one -> one.getVolumeId().isEmpty(), Code.NOT_FOUND)),
                planted(
                        "a missing node id is ignored",
                        "R22",
                        "controller-publish.no-node",
                        pretends(asked, Code.INVALID_ARGUMENT, empty)),
                planted(
                        "a missing capability is ignored",
                        "R22",
                        "controller-publish.no-capability",
                        pretends(asked, Code.INVALID_ARGUMENT, empty)),
                planted(
                        "an unknown volume is published",
                        "R64",
                        "controller-publish.unknown-volume",
                        pretends(asked, Code.NOT_FOUND, empty)),
                planted(
                        "an unknown node is INTERNAL",
                        "R64",
                        "controller-publish.unknown-node",
                        code(asked, Code.NOT_FOUND, Code.INTERNAL)),
                planted(
                        "the publish context differs from call to call",
                        "R63",
                        "controller-publish.twice",
                        answer(
                                ControllerPublishVolumeResponse.class,
                                one -> one.toBuilder()
                                        .putPublishContext("call", "c" + counter.incrementAndGet())
                                        .build())),
                planted(
                        "a second publish is FAILED_PRECONDITION",
                        "R61",
                        "controller-publish.twice",
                        refusesRepeat(asked, Code.FAILED_PRECONDITION)),
                planted(
                        "the publish context has 5 KiB",
                        "R16",
                        "controller-publish.values",
                        answer(
                                ControllerPublishVolumeResponse.class,
                                one -> one.toBuilder()
                                        .putPublishContext("large", "x".repeat(5000))
                                        .build())),
                planted(
                        "another readonly is ignored",
                        "R64",
                        "controller-publish.other-readonly",
                        pretends(asked, Code.ALREADY_EXISTS, empty)),
                planted(
                        "readonly is refused in spite of PUBLISH_READONLY",
                        "R42",
                        "controller-publish.readonly",
                        refuses(asked, ControllerPublishVolumeRequest::getReadonly, Code.INVALID_ARGUMENT)),
                planted(
                        "a second node is allowed",
                        "R64",
                        "controller-publish.other-node",
                        pretends(asked, Code.FAILED_PRECONDITION, empty)),
                planted(
                                "the limit of a node is ignored",
                                "R64",
                                "controller-publish.limit",
                                pretends(asked, Code.RESOURCE_EXHAUSTED, empty))
                        .warns());
    }

    private static List<Defect> unpublishes() {
        Class<ControllerUnpublishVolumeRequest> asked = ControllerUnpublishVolumeRequest.class;
        var done = ControllerUnpublishVolumeResponse.getDefaultInstance();
        return List.of(
                planted(
                        "a missing volume id succeeds",
                        "R22",
                        "controller-unpublish.no-id",
                        pretends(asked, Code.INVALID_ARGUMENT, done)),
                planted(
                        "unpublishing an unpublished volume fails",
                        "R65",
                        "controller-unpublish.not-published",
                        ControllerDefects::unpublished),
                planted(
                        "a second unpublish is NOT_FOUND",
                        "R65",
                        "controller-unpublish.twice",
                        refusesRepeat(asked, Code.NOT_FOUND)),
                planted(
                        "an unknown volume is INTERNAL",
                        "R65",
                        "controller-unpublish.unknown-volume",
                        refuses(asked, one -> one.getVolumeId().contains("unknown"), Code.INTERNAL)),
                planted(
                        "without a node id nothing is unpublished",
                        "R66",
                        "controller-unpublish.all-nodes",
                        () -> call -> call.request() instanceof ControllerUnpublishVolumeRequest one
                                        && one.getNodeId().isEmpty()
                                        && !one.getVolumeId().isEmpty()
                                ? done
                                : call.forward()),
                planted("an unpublish does nothing", "R65", "controller-unpublish.works", ignores(asked, done)));
    }

    private static Behaviour unpublished() {
        Set<String> attached = ConcurrentHashMap.newKeySet();
        return call -> {
            if (call.request() instanceof ControllerPublishVolumeRequest one) {
                attached.add(one.getVolumeId());
            }
            if (call.request() instanceof ControllerUnpublishVolumeRequest one
                    && !one.getVolumeId().isEmpty()
                    && !attached.remove(one.getVolumeId())) {
                throw error(Code.FAILED_PRECONDITION);
            }
            return call.forward();
        };
    }

    private static List<Defect> expands() {
        Class<ControllerExpandVolumeRequest> asked = ControllerExpandVolumeRequest.class;
        Class<ControllerExpandVolumeResponse> answered = ControllerExpandVolumeResponse.class;
        var done = ControllerExpandVolumeResponse.newBuilder()
                .setCapacityBytes(1L << 40)
                .build();
        return List.of(
                planted(
                        "a missing id is NOT_FOUND",
                        "R22",
                        "expand.no-id",
                        refuses(asked, one -> one.getVolumeId().isEmpty(), Code.NOT_FOUND)),
                planted(
                        "a missing size is ignored",
                        "R22",
                        "expand.no-range",
                        pretends(asked, Code.INVALID_ARGUMENT, done)),
                planted(
                        "an unknown volume is expanded",
                        "R84",
                        "expand.unknown",
                        pretends(asked, Code.NOT_FOUND, done)),
                planted(
                        "a volume grows less than requested",
                        "R83",
                        "expand.works",
                        answer(
                                answered,
                                one -> one.toBuilder()
                                        .setCapacityBytes(one.getCapacityBytes() / 2)
                                        .build())),
                planted(
                        "the new size is missing",
                        "R83",
                        "expand.works",
                        answer(
                                answered,
                                one -> one.toBuilder().clearCapacityBytes().build())),
                planted("a second expansion is refused", "R82", "expand.twice", refusesRepeat(asked, Code.INTERNAL)),
                planted("a volume shrinks", "R82", "expand.never-shrinks", () -> call -> {
                    Message answer = call.forward();
                    return call.request() instanceof ControllerExpandVolumeRequest one
                                    && answer instanceof ControllerExpandVolumeResponse response
                            ? response.toBuilder()
                                    .setCapacityBytes(one.getCapacityRange().getRequiredBytes())
                                    .build()
                            : answer;
                }),
                planted(
                                "a limit below the size is ignored",
                                "R84",
                                "expand.limit-below-size",
                                pretends(asked, Code.OUT_OF_RANGE, done))
                        .warns(),
                planted(
                                "a published volume is expanded in spite of OFFLINE",
                                "R82",
                                "expand.offline-order",
                                pretends(asked, Code.FAILED_PRECONDITION, done))
                        .in(Variant.OFFLINE),
                planted(
                                "a published volume is INTERNAL with OFFLINE",
                                "R84",
                                "expand.offline-order",
                                code(asked, Code.FAILED_PRECONDITION, Code.INTERNAL))
                        .in(Variant.OFFLINE),
                planted(
                        "a published volume is refused in spite of ONLINE",
                        "R82",
                        "expand.published",
                        ControllerDefects::whilePublished));
    }

    private static Behaviour whilePublished() {
        Set<String> published = ConcurrentHashMap.newKeySet();
        return call -> {
            if (call.request() instanceof NodePublishVolumeRequest one) {
                published.add(one.getVolumeId());
            }
            if (call.request() instanceof ControllerExpandVolumeRequest one && published.contains(one.getVolumeId())) {
                throw error(Code.FAILED_PRECONDITION);
            }
            return call.forward();
        };
    }

    private static List<Defect> modifies() {
        Class<ControllerModifyVolumeRequest> asked = ControllerModifyVolumeRequest.class;
        var done = ControllerModifyVolumeResponse.getDefaultInstance();
        return List.of(
                planted("a missing id succeeds", "R22", "modify.no-id", pretends(asked, Code.INVALID_ARGUMENT, done)),
                planted(
                        "an unknown volume is modified",
                        "R74",
                        "modify.unknown",
                        pretends(asked, Code.NOT_FOUND, done)),
                planted(
                        "a second modification is ALREADY_EXISTS",
                        "R74",
                        "modify.works",
                        refusesRepeat(asked, Code.ALREADY_EXISTS)),
                planted(
                                "an unknown parameter is ignored",
                                "R74",
                                "modify.bad-parameter",
                                pretends(asked, Code.INVALID_ARGUMENT, done))
                        .in(Variant.INFEASIBLE),
                planted(
                                "a bad parameter among good ones is left out",
                                "R74",
                                "modify.all-or-nothing",
                                request(
                                        asked,
                                        one -> one.toBuilder()
                                                .removeModifiableParameters("csi4j-unknown-key")
                                                .build()))
                        .in(Variant.INFEASIBLE),
                planted(
                        "a modification with secrets is refused",
                        "R35",
                        "modify.secrets",
                        refuses(asked, one -> one.containsSecrets("csi4j-extra"), Code.INVALID_ARGUMENT)));
    }
}

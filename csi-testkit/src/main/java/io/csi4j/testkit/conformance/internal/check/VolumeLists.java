package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Requirement;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks ListVolumes, ControllerGetVolume and GetCapacity. */
final class VolumeLists {
    private VolumeLists() {}

    /** Lists all volumes, and returns them by id. The plugin chooses the size of the pages. */
    static Map<String, ListVolumesResponse.Entry> all(Run run) {
        Map<String, ListVolumesResponse.Entry> found = new LinkedHashMap<>();
        pages(run, 0).forEach(entry -> found.put(entry.getVolume().getVolumeId(), entry));
        return found;
    }

    private static List<ListVolumesResponse.Entry> pages(Run run, int maxEntries) {
        List<ListVolumesResponse.Entry> found = new ArrayList<>();
        PageTokens tokens = new PageTokens(run);
        String token = "";
        while (true) {
            ListVolumesResponse response = run.controller()
                    .listVolumes(ListVolumesRequest.newBuilder()
                            .setMaxEntries(maxEntries)
                            .setStartingToken(token)
                            .build());
            run.must(
                    R70,
                    maxEntries == 0 || response.getEntriesCount() <= maxEntries,
                    "a page has " + response.getEntriesCount() + " entries; max_entries was " + maxEntries);
            found.addAll(response.getEntriesList());
            token = tokens.next(response.getNextToken(), ids(response));
            if (token.isEmpty()) {
                return found;
            }
        }
    }

    private static List<String> ids(ListVolumesResponse response) {
        return response.getEntriesList().stream()
                .map(entry -> entry.getVolume().getVolumeId())
                .toList();
    }

    static void addTo(Checks checks) {
        lists(checks);
        checks.check("get-volume.works", "ControllerGetVolume returns an existing volume", R73)
                .needs(GET_VOLUME, A_VOLUME)
                .run(run -> {
                    Volume volume = run.volume("got");
                    ControllerGetVolumeResponse response = run.controller()
                            .controllerGetVolume(ControllerGetVolumeRequest.newBuilder()
                                    .setVolumeId(volume.getVolumeId())
                                    .build());
                    run.must(
                            response.getVolume().getVolumeId().equals(volume.getVolumeId()),
                            "the answer is for volume '" + response.getVolume().getVolumeId() + "'");
                });
        checks.check("get-volume.no-id", "ControllerGetVolume without an id is refused", R22)
                .needs(GET_VOLUME)
                .run(run -> run.refused(
                        () -> run.controller().controllerGetVolume(ControllerGetVolumeRequest.getDefaultInstance()),
                        Code.INVALID_ARGUMENT));
        checks.check("get-volume.unknown", "Getting a volume that does not exist is NOT_FOUND", R73)
                .needs(GET_VOLUME)
                .run(run -> {
                    another(run);
                    run.refused(
                            () -> run.controller()
                                    .controllerGetVolume(ControllerGetVolumeRequest.newBuilder()
                                            .setVolumeId(Run.UNKNOWN)
                                            .build()),
                            Code.NOT_FOUND);
                });
        checks.check("capacity.plain", "Capacity and sizes of volumes are not negative", R23, R75)
                .needs(GET_CAPACITY)
                .run(run -> capacity(run, GetCapacityRequest.getDefaultInstance()));
        checks.check("capacity.filtered", "Capacity is returned for the capabilities and parameters of a volume", R75)
                .needs(GET_CAPACITY)
                .run(run -> capacity(
                        run,
                        GetCapacityRequest.newBuilder()
                                .addVolumeCapabilities(run.capability())
                                .putAllParameters(run.settings().parameters())
                                .build()));
        checks.check("capacity.topology", "Capacity is returned for the topology of the node", R75)
                .needs(GET_CAPACITY, TOPOLOGY, NODE_ID)
                .run(run -> {
                    run.applies(run.plugin().nodeInfo().hasAccessibleTopology(), "the node has no topology");
                    capacity(
                            run,
                            GetCapacityRequest.newBuilder()
                                    .setAccessibleTopology(
                                            run.plugin().nodeInfo().getAccessibleTopology())
                                    .build());
                });
    }

    private static void lists(Checks checks) {
        checks.check("list.bad-token", "A token that no list has returned is ABORTED", R72)
                .needs(LIST_VOLUMES)
                .run(run -> {
                    another(run);
                    run.refused(
                            () -> run.controller()
                                    .listVolumes(ListVolumesRequest.newBuilder()
                                            .setStartingToken("invalid-token")
                                            .build()),
                            Code.ABORTED);
                });
        checks.check("list.negative", "A negative max_entries is refused", R23)
                .needs(LIST_VOLUMES)
                .run(run -> {
                    another(run);
                    run.shouldRefuse(
                            () -> run.controller()
                                    .listVolumes(ListVolumesRequest.newBuilder()
                                            .setMaxEntries(-1)
                                            .build()),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("list.created-and-deleted", "A new volume is listed, and a deleted one is not", R70)
                .needs(LIST_VOLUMES, CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume volume = run.volume("listed");
                    var entry = all(run).get(volume.getVolumeId());
                    run.must(entry != null, "the new volume is not listed");
                    run.should(
                            entry == null
                                    || entry.getVolume().getCapacityBytes() == 0
                                    || volume.getCapacityBytes() == 0
                                    || entry.getVolume().getCapacityBytes() == volume.getCapacityBytes(),
                            "the list has another capacity_bytes than the answer of CreateVolume");
                    run.controller().deleteVolume(run.deleteRequest(volume.getVolumeId()));
                    run.must(!all(run).containsKey(volume.getVolumeId()), "the deleted volume is still listed");
                });
        checks.check("list.values", "Entries have ids, sizes that are not negative, and small contexts", R16, R23, R70)
                .needs(LIST_VOLUMES, A_VOLUME)
                .run(run -> {
                    run.volume("listed");
                    for (var entry : pages(run, 0)) {
                        run.must(R70, !entry.getVolume().getVolumeId().isEmpty(), "an entry has no volume id");
                        run.must(
                                R23,
                                entry.getVolume().getCapacityBytes() >= 0,
                                "an entry has a negative capacity_bytes");
                        Limits.require(run, entry.getVolume(), "an entry");
                    }
                });
        checks.check("list.pages", "Pages have at most max_entries entries, and together all volumes", R70)
                .needs(LIST_VOLUMES, CREATE_DELETE_VOLUME)
                .run(VolumeLists::paged);
        checks.check("list.pages-under-change", "A list stays usable while volumes are created and deleted", R70)
                .needs(LIST_VOLUMES, CREATE_DELETE_VOLUME)
                .run(VolumeLists::pagedUnderChange);
        checks.check("list.published-nodes", "The list names the node to which a volume is published", R71)
                .needs(LIST_VOLUMES_PUBLISHED_NODES, LIST_VOLUMES, PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    Volume volume = run.volume("listed");
                    String node = run.plugin().nodeInfo().getNodeId();
                    PublishSteps placement = run.place(volume);
                    placement.attach();
                    // The list may name more nodes, for example those of other callers.
                    run.must(nodesOf(run, volume).contains(node), "the node of the published volume is not listed");
                });
    }

    /** Makes a volume that the call of the check does not name, so that a plugin without any is not right by chance. */
    static void another(Run run) {
        if (run.has(CREATE_DELETE_VOLUME)) {
            run.volume("another");
        }
    }

    private static List<String> nodesOf(Run run, Volume volume) {
        var entry = all(run).get(volume.getVolumeId());
        run.must(R70, entry != null, "the volume is not listed");
        return entry == null ? List.of() : entry.getStatus().getPublishedNodeIdsList();
    }

    private static void paged(Run run) {
        List<String> own = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            own.add(run.volume("listed").getVolumeId());
        }
        List<String> listed = pages(run, 2).stream()
                .map(entry -> entry.getVolume().getVolumeId())
                .toList();
        for (String id : own) {
            run.must(listed.contains(id), "volume " + id + " is on no page, and the last page has no next_token");
            run.should(
                    Requirement.MAY,
                    R70,
                    listed.indexOf(id) == listed.lastIndexOf(id),
                    "volume " + id + " is listed twice");
        }
    }

    private static void pagedUnderChange(Run run) {
        List<String> own = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            own.add(run.volume("listed").getVolumeId());
        }
        ListVolumesResponse first = run.controller()
                .listVolumes(ListVolumesRequest.newBuilder().setMaxEntries(2).build());
        run.applies(!first.getNextToken().isEmpty(), "the plugin returned all volumes on one page");
        List<String> onFirst = first.getEntriesList().stream()
                .map(entry -> entry.getVolume().getVolumeId())
                .toList();
        List<String> deleted = own.stream().filter(onFirst::contains).toList();
        deleted.forEach(id -> run.controller().deleteVolume(run.deleteRequest(id)));
        run.volume("listed");
        PageTokens tokens = new PageTokens(run);
        String token = tokens.next(first.getNextToken(), onFirst);
        List<String> rest = new ArrayList<>();
        while (!token.isEmpty()) {
            ListVolumesRequest request = ListVolumesRequest.newBuilder()
                    .setMaxEntries(2)
                    .setStartingToken(token)
                    .build();
            ListVolumesResponse[] response = new ListVolumesResponse[1];
            Code code = run.codeOf(() -> response[0] = run.controller().listVolumes(request));
            run.must(code == Code.OK || code == Code.ABORTED, "the next page answered " + code);
            if (code == Code.ABORTED) {
                return; // The list has to start again, which the specification allows.
            }
            response[0]
                    .getEntriesList()
                    .forEach(entry -> rest.add(entry.getVolume().getVolumeId()));
            token = tokens.next(response[0].getNextToken(), ids(response[0]));
        }
        for (String id : own) {
            run.should(
                    Requirement.MAY,
                    R70,
                    onFirst.contains(id) || rest.contains(id),
                    "volume " + id + " existed all the time and was on no page");
            run.should(
                    Requirement.MAY,
                    R70,
                    !deleted.contains(id) || !rest.contains(id),
                    "volume " + id + " was listed after it was deleted");
        }
    }

    private static void capacity(Run run, GetCapacityRequest request) {
        GetCapacityResponse response = run.controller().getCapacity(request);
        run.must(R75, response.getAvailableCapacity() >= 0, "available_capacity is " + response.getAvailableCapacity());
        run.must(
                R75,
                response.getMaximumVolumeSize().getValue() >= 0
                        && response.getMinimumVolumeSize().getValue() >= 0,
                "a size of volumes is negative");
        run.must(
                R75,
                !response.hasMaximumVolumeSize()
                        || !response.hasMinimumVolumeSize()
                        || response.getMaximumVolumeSize().getValue()
                                >= response.getMinimumVolumeSize().getValue()
                        || response.getAvailableCapacity() == 0,
                "the maximum volume size is below the minimum");
    }
}

package io.csi4j.examples.scheduler;

import io.csi4j.client.CsiClient;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.ListedPage;
import io.csi4j.testkit.FakeStorage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Searches for leaks outside the state of csi4j: in the volume list of the plugin, in the mount table, and in the
 * records of the fake storage provider.
 */
final class LeakCheck {
    private static final int MAX_VOLUMES = 100_000;
    private static final long LIST_SECONDS = 60;

    private final ClusterRun run;

    LeakCheck(ClusterRun run) {
        this.run = run;
    }

    /**
     * Searches for leaked mounts and attachments, deletes the volumes, and searches for volumes that still exist.
     * Returns a sentence for each leak.
     */
    List<String> check() throws IOException {
        List<String> leaks = find();
        System.out.println("The plugin lists " + listVolumes().size()
                + " volumes after the end of all jobs. The state has "
                + run.madeVolumes().size()
                + ", all of them persistent or retained.");
        run.deleteVolumes();
        listVolumes().keySet().forEach(volume -> leaks.add("the plugin still lists volume " + volume));
        return leaks;
    }

    /**
     * Returns each mount on a node, each volume that is still published, and each volume of the plugin without a row. The
     * rows that are left when all jobs have ended are persistent or retained.
     */
    List<String> find() throws IOException {
        List<String> leaks = new ArrayList<>();
        run.mounts().forEach(mount -> leaks.add(mount + " is still mounted"));
        Map<String, List<String>> published = listVolumes();
        Set<String> made = run.madeVolumes();
        published.keySet().stream()
                .filter(volume -> !made.contains(volume))
                .forEach(volume -> leaks.add("the plugin has volume " + volume + ", and no row of the state has it"));
        published.forEach((volume, nodes) -> {
            if (!nodes.isEmpty()) {
                leaks.add("the plugin lists volume " + volume + " as published to " + nodes);
            }
        });
        if (run.machines().usesFakePlugin()) {
            checkFakeProvider(leaks);
        }
        return leaks;
    }

    /** Returns the volumes that the plugin lists, each with the nodes to which it is published. */
    private Map<String, List<String>> listVolumes() {
        Map<String, List<String>> volumes = new TreeMap<>();
        try (CsiClient client = CsiClient.connect(run.machines().pluginEndpoint())) {
            List<ListVolumesResponse.Entry> entries = ListedPage.all(
                            MAX_VOLUMES,
                            token -> client.controller()
                                    .listVolumes(ListVolumesRequest.builder()
                                            .startingToken(token)
                                            .build()))
                    .orTimeout(LIST_SECONDS, TimeUnit.SECONDS)
                    .join();
            for (ListVolumesResponse.Entry entry : entries) {
                volumes.put(
                        entry.volume().volumeId().toString(),
                        entry.status().map(ExternalVolumeStatus::publishedNodeIds).orElse(List.of()).stream()
                                .map(Object::toString)
                                .toList());
            }
        }
        return volumes;
    }

    private void checkFakeProvider(List<String> leaks) {
        FakeStorage storage = FakeStorage.inDirectory(run.layout().storage(), Long.MAX_VALUE);
        for (String volume : storage.volumeIds()) {
            storage.attachedNodes(volume).forEach(node -> leaks.add(volume + " is attached to " + node));
            storage.pathsInUse(volume).forEach(path -> leaks.add(volume + " is in use at " + path));
        }
        storage.snapshotIds().forEach(snapshot -> leaks.add("snapshot " + snapshot + " is left"));
    }
}

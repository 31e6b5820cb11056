package io.csi4j.testkit.internal.storage;

import io.csi4j.testkit.history.Leak;
import java.util.ArrayList;
import java.util.List;

/** Finds the objects and uses in a storage that callers created and have not removed. */
public final class Leaks {
    private Leaks() {}

    /** Returns all leaks of a storage: uses on nodes, attachments, snapshots, and volumes that a call created. */
    public static List<Leak> of(Backend backend) {
        return backend.store().locked(() -> {
            List<Leak> leaks = new ArrayList<>();
            for (NodeRecord node : backend.nodes.all()) {
                NodeShelf shelf = backend.shelf(node.id());
                shelf.volumes().all().forEach(volume -> uses(node.id(), volume, leaks));
                shelf.inline()
                        .all()
                        .forEach(volume -> leaks.add(new Leak(Leak.Kind.INLINE_VOLUME, volume.volumeId(), node.id())));
            }
            for (VolumeRecord volume : backend.volumes.all()) {
                volume.attachments()
                        .keySet()
                        .forEach(node -> leaks.add(new Leak(Leak.Kind.ATTACHMENT, volume.id(), node)));
            }
            backend.snapshots.all().forEach(one -> leaks.add(new Leak(Leak.Kind.SNAPSHOT, one.id(), "")));
            for (VolumeRecord volume : backend.volumes.all()) {
                // A volume without a name was provisioned without a call.
                if (!volume.request().getName().isEmpty()) {
                    leaks.add(new Leak(Leak.Kind.VOLUME, volume.id(), ""));
                }
            }
            return leaks;
        });
    }

    private static void uses(String nodeId, NodeVolume volume, List<Leak> leaks) {
        volume.published()
                .keySet()
                .forEach(path -> leaks.add(new Leak(Leak.Kind.PUBLICATION, volume.volumeId(), nodeId + " " + path)));
        if (volume.staged() != null) {
            leaks.add(new Leak(
                    Leak.Kind.STAGING,
                    volume.volumeId(),
                    nodeId + " " + volume.staged().getStagingTargetPath()));
        }
    }
}

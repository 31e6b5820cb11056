package io.csi4j.testkit.assertion;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.testkit.cluster.FakeNode;
import io.csi4j.testkit.cluster.FakeNode.OwnershipChange;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/** Assertions about a node of a fake cluster. */
public final class FakeNodeAssert extends AbstractAssert<FakeNodeAssert, FakeNode> {
    FakeNodeAssert(FakeNode actual) {
        super(actual, FakeNodeAssert.class);
    }

    /**
     * Verifies that the node has given the files of a volume to a group, because the plugin does not have
     * VOLUME_MOUNT_GROUP.
     *
     * @return assertions about the last change
     */
    public RewrittenOwnership rewroteOwnershipOf(VolumeKey volume) {
        List<OwnershipChange> changes = changesOf(volume);
        if (changes.isEmpty()) {
            failWithMessage(
                    "expected that %s gave the files of volume %s to a group, but it did not; its changes are %s",
                    actual.id(), volume, actual.ownershipChanges());
        }
        return new RewrittenOwnership(this, changes.get(changes.size() - 1));
    }

    /** Verifies how often the node has given the files of a volume to a group. */
    public FakeNodeAssert rewroteOwnershipOf(VolumeKey volume, int times) {
        List<OwnershipChange> changes = changesOf(volume);
        if (changes.size() != times) {
            failWithMessage(
                    "expected that %s gave the files of volume %s to a group %s times, but its changes are %s",
                    actual.id(), volume, times, changes);
        }
        return this;
    }

    private List<OwnershipChange> changesOf(VolumeKey volume) {
        isNotNull();
        return actual.ownershipChanges().stream()
                .filter(change -> change.volume().equals(volume))
                .toList();
    }

    FakeNodeAssert failing(String sentence) {
        failWithMessage("%s", sentence);
        return this;
    }
}

package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.PLUGIN;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.core.rpc.ListSnapshotsResponse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SnapshotPagesTest {
    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL);

    private Snapshot snapshot(String id, boolean ready) {
        return Snapshot.builder(SnapshotId.of(id), rig.get(VOL).remoteId())
                .readyToUse(ready)
                .build();
    }

    @Test
    void snapshotListRequestHasPageSizeAndTokenAndResultShowsSnapshotReadiness() {
        rig.gateway.answer(
                Rpc.LIST_SNAPSHOTS,
                request -> new ListSnapshotsResponse(List.of(snapshot("s1", true), snapshot("s2", false)), "page 3"));
        ExternalVolumeId source = rig.get(VOL).remoteId();
        ExternalPage<Snapshot> page = rig.done(rig.host.snapshots().list(PLUGIN, Optional.of(source), 2, "page 2"));
        ListSnapshotsRequest sent = rig.gateway.request(Rpc.LIST_SNAPSHOTS, ListSnapshotsRequest.class);
        assertThat(sent.maxEntries()).isEqualTo(2);
        assertThat(sent.startingToken()).isEqualTo("page 2");
        assertThat(sent.sourceVolumeId()).contains(source);
        assertThat(page.entries())
                .extracting(Snapshot::snapshotId)
                .containsExactly(SnapshotId.of("s1"), SnapshotId.of("s2"));
        assertThat(page.entries()).extracting(Snapshot::readyToUse).containsExactly(true, false);
        assertThat(page.nextToken()).isEqualTo("page 3");
    }

    @Test
    void firstPageIsRequestedWithoutToken() {
        rig.done(rig.host.snapshots().list(PLUGIN, Optional.empty(), 0, ""));
        ListSnapshotsRequest sent = rig.gateway.request(Rpc.LIST_SNAPSHOTS, ListSnapshotsRequest.class);
        assertThat(sent.maxEntries()).isZero();
        assertThat(sent.startingToken()).isEmpty();
        assertThat(sent.sourceVolumeId()).isEmpty();
    }
}

package io.csi4j.simulation.internal.plugin;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.rpc.ListVolumesRequest;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.simulation.internal.world.Refusal;
import io.csi4j.simulation.internal.world.SimDrift;
import io.csi4j.simulation.internal.world.SimProvider;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Lists the provider's volumes in small pages; each page has the state at the time of its creation (R70). */
public final class SimListing {
    private static final int PAGE_SIZE = 3;

    private final SimWorld world;

    public SimListing(SimWorld world) {
        this.world = world;
    }

    /** Creates a page; at times it rejects the token as expired (R72). */
    public ListVolumesResponse page(ListVolumesRequest request) {
        String token = request.startingToken();
        if (!token.isEmpty() && world.faults().tokenExpired()) {
            world.coverage().fault("listing token expired");
            throw new Refusal(StatusCode.ABORTED);
        }
        List<ListVolumesResponse.Entry> entries = new ArrayList<>();
        String last = "";
        boolean more = false;
        for (Map.Entry<String, Map<String, SimProvider.Use>> volume :
                world.provider().attachments().entrySet()) {
            if (volume.getKey().compareTo(token) <= 0) {
                continue;
            }
            if (entries.size() == PAGE_SIZE) {
                more = true;
                break;
            }
            entries.add(entry(volume.getKey(), volume.getValue()));
            last = volume.getKey();
        }
        return new ListVolumesResponse(entries, more ? last : "");
    }

    private static ListVolumesResponse.Entry entry(String volume, Map<String, SimProvider.Use> attached) {
        List<ExternalNodeId> nodes = new ArrayList<>();
        attached.keySet().forEach(node -> nodes.add(ExternalNodeId.of(node)));
        nodes.add(SimDrift.FOREIGN_NODE);
        return new ListVolumesResponse.Entry(
                ExternalVolume.builder(ExternalVolumeId.of(volume)).build(),
                Optional.of(new ExternalVolumeStatus(nodes, Optional.empty())));
    }
}

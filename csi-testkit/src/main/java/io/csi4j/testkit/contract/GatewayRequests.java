package io.csi4j.testkit.contract;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeUse;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The requests and answers of the contract's tests. */
final class GatewayRequests {
    static final NodeId NODE = NodeId.of("contract-node");
    static final PluginId PLUGIN = PluginId.of("contract.example.com");
    static final VolumeKey KEY = VolumeKey.of("contract", "volume");
    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("external");
    private static final AllocationId ALLOCATION = AllocationId.of("contract-allocation");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    private static final MountOptions OPTIONS = new MountOptions("xfs", MountFlags.of("noatime"), "1000");
    private static final Secrets SECRETS = Secrets.of(Map.of("user", "contract"));

    private GatewayRequests() {}

    static NodeDetach detach() {
        return new NodeDetach(
                KEY,
                PLUGIN,
                EXTERNAL,
                ALLOCATION,
                Optional.of(ExternalNodeId.of("contract-machine")),
                ClaimMode.WRITE,
                WRITER,
                OPTIONS);
    }

    static NodeDetached detached() {
        return NodeDetached.withOthers(List.of(use("other-allocation")));
    }

    private static VolumeUse use(String allocation) {
        return new VolumeUse(KEY, PLUGIN, EXTERNAL, AllocationId.of(allocation), ClaimMode.READ, WRITER, true);
    }

    static NodeExpand expand(long bytes) {
        return new NodeExpand(
                KEY, PLUGIN, EXTERNAL, ALLOCATION, WRITER, OPTIONS, new CapacityRange(bytes, bytes + 1), SECRETS);
    }

    static NodeVolumeQuery query() {
        return new NodeVolumeQuery(KEY, PLUGIN, EXTERNAL, ALLOCATION);
    }

    static StorageHealthQuery storage() {
        return new StorageHealthQuery(PLUGIN, SECRETS);
    }

    static LedgerReport ledger() {
        return new LedgerReport(
                List.of(use("contract-allocation")),
                List.of(VolumeKey.of("contract", "unclear")),
                Optional.of(Map.of(PLUGIN, ExternalNodeId.of("contract-machine"))));
    }
}

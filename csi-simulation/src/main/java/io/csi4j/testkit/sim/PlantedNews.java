package io.csi4j.testkit.sim;

import io.csi4j.core.plugin.NodeInfo;
import java.util.Optional;

/** Defects in what the state is told of nodes and plugins. */
final class PlantedNews {
    private final Mutation mutation;

    PlantedNews(Mutation mutation) {
        this.mutation = mutation;
    }

    /** What a plugin said of its node, as the state is told. */
    NodeInfo told(NodeInfo info) {
        return switch (mutation) {
            case NODE_LIMIT_IS_LOST -> new NodeInfo(info.externalNodeId(), 0, info.accessibleTopology());
            case PLACE_OF_NODE_IS_LOST ->
                new NodeInfo(info.externalNodeId(), info.maxVolumesPerNode(), Optional.empty());
            default -> info;
        };
    }
}

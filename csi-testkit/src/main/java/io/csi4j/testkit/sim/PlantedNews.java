package io.csi4j.testkit.sim;

import io.csi4j.core.plugin.NodeInfo;

/** Defects in what the state is told of nodes and plugins. */
final class PlantedNews {
    private final Mutation mutation;

    PlantedNews(Mutation mutation) {
        this.mutation = mutation;
    }

    /** What a plugin said of its node, as the state is told. */
    NodeInfo told(NodeInfo info) {
        return mutation == Mutation.NODE_LIMIT_IS_LOST
                ? new NodeInfo(info.externalNodeId(), 0, info.accessibleTopology())
                : info;
    }
}

package io.csi4j.registry.internal.connection;

import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.registry.instance.InstanceFacts;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The queries of one plugin; one at a time, each with its own deadline. */
public interface PluginQuestions extends AutoCloseable {
    /**
     * Calls Probe.
     *
     * @return whether the plugin is ready
     */
    CompletableFuture<Boolean> probe();

    /**
     * Queries the name and the capabilities.
     *
     * @param fresh whether to query everything from this process, even if another process of the same version reported it lately
     */
    CompletableFuture<InstanceFacts> facts(boolean fresh);

    /**
     * Calls NodeGetInfo only.
     *
     * @return empty: the plugin has no node service, or does not support the RPC
     */
    CompletableFuture<Optional<NodeInfo>> nodeInfo();

    /** Gives up the query in flight. */
    void abandon();

    @Override
    void close();
}

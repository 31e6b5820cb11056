package io.csi4j.registry.internal.connection;

import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.registry.instance.InstanceFacts;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Sends the queries of a connection to its plugin. At most one query is in flight at a time; each has its own deadline. */
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
     * @param fresh whether to query the capabilities from this process, even if another process of the same version has reported them
     *     before
     */
    CompletableFuture<InstanceFacts> facts(boolean fresh);

    /**
     * Calls NodeGetInfo only.
     *
     * @return empty: the plugin has no node service, or does not support the RPC
     */
    CompletableFuture<Optional<NodeInfo>> nodeInfo();

    /** Abandons the query in flight. */
    void abandon();

    @Override
    void close();
}

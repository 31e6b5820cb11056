package io.csi4j.registry.internal.connection;

import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.registry.instance.InstanceFacts;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What can be asked of one plugin; one question at a time, each with a deadline of its own. */
public interface PluginQuestions extends AutoCloseable {
    /**
     * Probe.
     *
     * @return whether it is ready
     */
    CompletableFuture<Boolean> probe();

    /**
     * Who it is and what it can do.
     *
     * @param fresh whether everything is to be asked of this very process, though another of the same version told
     *     the same lately
     */
    CompletableFuture<InstanceFacts> facts(boolean fresh);

    /**
     * NodeGetInfo alone.
     *
     * @return empty: the plugin is none for nodes, or has no such call
     */
    CompletableFuture<Optional<NodeInfo>> nodeInfo();

    /** Gives up the question in flight, if there is one. */
    void abandon();

    @Override
    void close();
}

package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Asks an instance of a plugin without a controller service which driver it is (GetPluginInfo, R37). The question
 * changes nothing, so it is repeated after a lost answer, and each attempt goes to the next node.
 */
final class DriverQuestion {
    private final Operations operations;

    DriverQuestion(Operations operations) {
        this.operations = operations;
    }

    /**
     * Asks an instance on one of the nodes.
     *
     * @param nodes the nodes with an instance that can answer; at least one
     * @param attempt the number of the attempt, from 1
     * @return the name of the driver that answered; empty if it gave none. Fails with a {@link CsiRequestException} if
     *     it is not the driver of the plugin's volumes
     */
    CompletableFuture<Optional<String>> ask(Volume volume, List<NodeId> nodes, int attempt) {
        PluginId plugin = volume.pluginId();
        NodeId node = nodes.get(Math.floorMod(volume.key().toString().hashCode() + attempt - 1, nodes.size()));
        return operations
                .calls()
                .node(
                        CallSubject.of(Rpc.GET_PLUGIN_INFO, volume, attempt),
                        node,
                        () -> operations.ports().gateway().pluginInfo(node, plugin))
                .thenApply(info -> Optional.of(info.name()).filter(name -> !name.isEmpty()))
                .exceptionallyCompose(failure -> Failures.code(failure) == StatusCode.UNIMPLEMENTED
                        ? askOlderAgent(volume, node, attempt)
                        : CompletableFuture.failedFuture(Futures.unwrap(failure)))
                .thenApply(name -> checked(volume, node, name));
    }

    /** Has an agent that does not know the question call NodeGetInfo, so that the plugin answers all the same. */
    private CompletableFuture<Optional<String>> askOlderAgent(Volume volume, NodeId node, int attempt) {
        return operations
                .calls()
                .node(
                        CallSubject.of(Rpc.NODE_GET_INFO, volume, attempt),
                        node,
                        () -> operations.ports().gateway().refreshNodeInfo(node, volume.pluginId()))
                .thenApply(done -> driver(volume.pluginId()));
    }

    private Optional<String> driver(PluginId plugin) {
        return operations.state().facts(plugin).flatMap(PluginFacts::provider).filter(name -> !name.isEmpty());
    }

    private Optional<String> checked(Volume volume, NodeId node, Optional<String> name) {
        Optional<String> driver = driver(volume.pluginId());
        if (name.isPresent() && driver.isPresent() && !name.equals(driver)) {
            throw CsiRequestException.afterQuestion(
                    "volume " + volume.key(),
                    List.of(new Problem(
                            "pluginId",
                            "is " + volume.pluginId() + ", whose volumes belong to driver " + driver.get()
                                    + ", and on node " + node + " driver " + name.get() + " answered",
                            "start the right driver there, or say which is right (csi plugin set-provider, setProvider"
                                    + " in Java)")));
        }
        return name.or(() -> driver);
    }
}

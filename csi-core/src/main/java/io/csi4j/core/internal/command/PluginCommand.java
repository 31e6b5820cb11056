package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Commands that record plugin instances, and the deployments that run plugins. */
public sealed interface PluginCommand extends Command {
    /**
     * Records the fingerprint of a node: the node's report of all its plugin instances. An instance of the node that is
     * not in the report is removed from the state.
     *
     * @param fingerprint the report
     */
    record FingerprintNode(NodeFingerprint fingerprint) implements PluginCommand {
        public FingerprintNode {
            Objects.requireNonNull(fingerprint, "fingerprint");
        }

        /** Creates a command from the parts of its report. */
        public FingerprintNode(NodeId nodeId, List<PluginInstance> instances, long order, Instant at) {
            this(new NodeFingerprint(nodeId, instances, order, at));
        }

        /** Creates a command with the number 0, which is always applied. */
        public FingerprintNode(NodeId nodeId, List<PluginInstance> instances, Instant at) {
            this(nodeId, instances, 0, at);
        }

        public NodeId nodeId() {
            return fingerprint.nodeId();
        }

        public List<PluginInstance> instances() {
            return fingerprint.instances();
        }

        public long order() {
            return fingerprint.order();
        }

        @Override
        public Instant at() {
            return fingerprint.at();
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.fingerprintNode(this);
        }
    }

    /**
     * Removes a plugin instance that has stopped.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveInstance(InstanceKey key, Instant at) implements PluginCommand {
        public RemoveInstance {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeInstance(this);
        }
    }

    /**
     * Records all plugins that a deployment is meant to run.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record UpsertDeployment(PluginDeployment deployment, Instant at) implements PluginCommand {
        public UpsertDeployment {
            Objects.requireNonNull(deployment, "deployment");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.upsertDeployment(this);
        }
    }

    /**
     * Removes a deployment that does not run any more.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveDeployment(DeploymentId deploymentId, Instant at) implements PluginCommand {
        public RemoveDeployment {
            Objects.requireNonNull(deploymentId, "deploymentId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeDeployment(this);
        }
    }

    /**
     * Removes a plugin that has no instance, healthy or not, no deployment and no volume.
     *
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record DeletePlugin(PluginId pluginId, Instant at) implements PluginCommand {
        public DeletePlugin {
            Objects.requireNonNull(pluginId, "pluginId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.deletePlugin(this);
        }
    }

    /**
     * Records the statement of an operator which driver a plugin's volumes belong to. Instances with this provider name
     * are called from then on, instances with another name are not. If the name changes, the plugin's capabilities are
     * those that healthy instances with the new name have reported; without such an instance they are unknown. Has no
     * effect if the state does not have facts of the plugin.
     *
     * @param provider the name from GetPluginInfo (R37)
     * @param operator the operator, not empty
     * @param reason the operator's evidence, not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record SetProvider(PluginId pluginId, String provider, String operator, String reason, Instant at)
            implements PluginCommand {
        /** @throws IllegalArgumentException if provider, operator or reason is empty or has an unpaired surrogate */
        public SetProvider {
            Objects.requireNonNull(pluginId, "pluginId");
            Text.checked("SetProvider: provider", provider);
            Text.checked("SetProvider: operator", operator);
            Text.checked("SetProvider: reason", reason);
            Objects.requireNonNull(at, "at");
            if (provider.isEmpty() || operator.isEmpty() || reason.isEmpty()) {
                throw new IllegalArgumentException("SetProvider: give the provider name, the operator and the reason");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.setProvider(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R fingerprintNode(FingerprintNode command);

        R removeInstance(RemoveInstance command);

        R upsertDeployment(UpsertDeployment command);

        R removeDeployment(RemoveDeployment command);

        R deletePlugin(DeletePlugin command);

        R setProvider(SetProvider command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}

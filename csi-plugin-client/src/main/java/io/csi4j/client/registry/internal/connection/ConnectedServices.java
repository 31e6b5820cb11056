package io.csi4j.client.registry.internal.connection;

import io.csi4j.client.CsiClient;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.NodeService;

/**
 * The services of one plugin, which are called to query its facts.
 *
 * @param identity its identity service
 * @param controller its controller service, if it has one
 * @param groupController its group controller service, if it has one
 * @param node its node service, if it has one
 * @param closing closes the connection
 */
public record ConnectedServices(
        IdentityService identity,
        ControllerService controller,
        GroupControllerService groupController,
        NodeService node,
        Runnable closing) {
    public static ConnectedServices of(CsiClient client) {
        return new ConnectedServices(
                client.identity(), client.controller(), client.groupController(), client.node(), client::close);
    }

    public void close() {
        closing.run();
    }
}

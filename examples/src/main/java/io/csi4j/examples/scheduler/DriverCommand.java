package io.csi4j.examples.scheduler;

import io.csi4j.core.id.NodeId;
import java.io.IOException;

/**
 * Starts the plugin of a node: the fake plugin of csi-testkit, or any driver.
 *
 * @param driver the command of a driver, with {@code {endpoint}}, {@code {nodeId}}, {@code {dir}} and {@code {version}} in it; empty: the fake plugin
 */
record DriverCommand(String driver) {
    private static final String FAKE = "io.csi4j.testkit.cli.FakePluginMain";

    boolean isFake() {
        return driver.isEmpty();
    }

    /** Starts the plugin of a node on the machine that the plugin knows by an external id. */
    ChildProcess start(ClusterLayout layout, NodeId node, String externalId, String endpoint, String version)
            throws IOException {
        String name = "plugin-" + node;
        if (isFake()) {
            ChildProcess fake = ChildProcess.java(
                    name,
                    layout.log(name),
                    FAKE,
                    "--endpoint",
                    endpoint,
                    "--node-id",
                    externalId,
                    "--state-dir",
                    layout.storage().toString(),
                    "--vendor-version",
                    version,
                    "--exit-on-stdin-eof");
            return fake;
        }
        String command = driver.replace("{endpoint}", endpoint)
                .replace("{nodeId}", externalId)
                .replace("{dir}", layout.storage().toString())
                .replace("{version}", version);
        return ChildProcess.shell(name, layout.log(name), command, endpoint);
    }
}

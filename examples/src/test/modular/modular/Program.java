package modular;

import io.csi4j.admin.AdminServer;
import io.csi4j.agent.AgentServer;
import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.micrometer.CsiMeters;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import io.csi4j.testkit.FakeCsiPlugin;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.List;

/** Creates and deletes a volume with a durable server; prints the module of each part that it used. */
public final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
        PluginId plugin = PluginId.of("hostpath");
        try (CsiServer server = CsiServer.builder(RatisCommandLog.builder(Path.of(args[0])))
                .node(NodeId.of("local"), Path.of(args[0]).resolve("node"))
                .build();
                CsiMeters meters = CsiMeters.of(new SimpleMeterRegistry())) {
            String endpoint = server.node().preparePlugin(plugin).endpoint();
            try (FakeCsiPlugin fake = FakeCsiPlugin.builder().build().startOn(endpoint);
                    CsiClient client = CsiClient.builder(Endpoint.parse(endpoint)).build();
                    AdminServer admin = AdminServer.builder(server.lifecycle()).start()) {
                System.out.println("plugin " + client.identity().getPluginInfo().join().name());
                server.node().pluginStarted(plugin).join();
                VolumeKey key = VolumeKey.of("default", "db");
                var writer = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
                var spec = VolumeSpec.builder(plugin).requestedCapabilities(List.of(writer)).build();
                var volumes = server.lifecycle().volumes();
                System.out.println("created " + volumes.create(key, spec).join().key());
                volumes.delete(key).join();
                System.out.println("deleted, administration at port " + admin.uri().getPort());
            }
        }
        for (Class<?> part : List.of(
                Program.class,
                VolumeKey.class,
                CsiClient.class,
                AgentServer.class,
                RatisCommandLog.class,
                CsiServer.class,
                FakeCsiPlugin.class,
                AdminServer.class,
                CsiMeters.class)) {
            System.out.println("module " + part.getModule().getName() + " "
                    + (part.getModule().getDescriptor().isAutomatic() ? "automatic" : "described"));
        }
    }
}

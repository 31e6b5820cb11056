package io.csi4j.benchmarks.costs;

import io.csi4j.agent.NodeAgent;
import java.nio.file.Path;
import java.util.List;

/** An agent without plugins, connected to an {@link IdleServer}. */
final class IdleAgent {
    private IdleAgent() {}

    /**
     * Runs until the end of the input.
     *
     * @param args the directory of the programs
     */
    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        try (NodeAgent agent = NodeAgent.builder(IdleServer.NODE, directory.resolve("node"))
                .servers(List.of(IdleServer.endpoint(directory)))
                .listen(IdleServer.agent(directory))
                .start()) {
            agent.ready().join();
            IdleProcess.serve();
        }
    }
}

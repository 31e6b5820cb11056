package io.csi4j.client.internal.transport;

import io.grpc.ManagedChannelBuilder;
import io.grpc.inprocess.InProcessChannelBuilder;

/** Creates channels to fake plugins in this process. Loaded for in-process endpoints only, because gRPC's in-process library is optional. */
final class InProcessChannels {
    private InProcessChannels() {}

    static ManagedChannelBuilder<?> builder(String name) {
        try {
            return InProcessChannelBuilder.forName(name);
        } catch (NoClassDefFoundError missing) {
            throw new IllegalArgumentException(
                    "endpoint: inprocess:///" + name + " needs io.grpc:grpc-inprocess on the class path; csi-testkit"
                            + " brings it",
                    missing);
        }
    }
}

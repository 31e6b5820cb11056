package io.csi4j.examples.first;

import io.csi4j.client.CsiClient;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/** Creates a volume and deletes it. The guide to the client shows the marked code. */
public final class FirstExample {
    private FirstExample() {}

    /**
     * Creates a volume and deletes it.
     *
     * @param endpoint the plugin's socket, for example {@code unix:///run/csi/csi.sock}
     * @param token the token for the storage provider
     */
    public static void createAndDelete(String endpoint, String token) {
        // DOC
        try (CsiClient client = CsiClient.connect(endpoint)) {
            Secrets secrets = Secrets.of(Map.of("token", token));
            CreateVolumeRequest create = CreateVolumeRequest.builder(
                            "pvc-1", List.of(VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                    .capacityRange(CapacityRange.atLeast(1L << 30))
                    .secrets(secrets)
                    .build();
            try {
                ExternalVolume volume =
                        client.controller().createVolume(create).join().volume();
                System.out.println(volume.volumeId() + " has " + volume.capacityBytes() + " bytes");

                DeleteVolumeRequest delete = DeleteVolumeRequest.builder(volume.volumeId())
                        .secrets(secrets)
                        .build();
                client.controller().deleteVolume(delete).join();
            } catch (CompletionException failed) {
                if (!(failed.getCause() instanceof CsiCallException failure)) {
                    throw failed;
                }
                // A program decides by the outcome: after OUTCOME_UNKNOWN, it repeats the call with the same name.
                System.err.println(failure.outcome() + ", " + failure.code());
                // The message is for an operator: the call, the plugin, the cause and the next step.
                System.err.println(failure.getMessage());
            }
        }
        // DOC
    }
}

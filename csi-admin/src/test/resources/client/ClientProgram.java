import generated.ApiClient;
import generated.ApiException;
import generated.api.NodeApi;
import generated.api.OperationApi;
import generated.api.VolumeApi;
import generated.model.NodeStatus;
import generated.model.VolumeExpandRequest;
import generated.model.VolumeList200Response;
import generated.model.VolumeStatus;
import generated.model.VolumeSummary;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A program that uses a generated client. ClientTest compiles and runs it. */
public final class ClientProgram {
    private ClientProgram() {}

    /** Returns a line for each thing that it has seen. */
    public static List<String> run(String uri) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(uri);
        VolumeApi volumes = new VolumeApi(client);
        List<String> seen = new ArrayList<>();
        String after = null;
        do {
            VolumeList200Response page =
                    volumes.volumeList("default", "disk", null, "db-", null, null, null, null, after, 2L, null, null);
            for (VolumeSummary volume : page.getItems()) {
                seen.add(volume.getVolume() + " " + volume.getPhase() + " " + volume.getCapacityBytes());
            }
            after = page.getNext();
        } while (after != null);
        VolumeStatus status = volumes.volumeStatus("default", "db-1", null, null);
        seen.add("claims of db-1: " + status.getClaims().get(0).getAllocation() + " since index "
                + status.getCreateIndex());
        NodeStatus node = new NodeApi(client).nodeStatus("n1", null, null);
        seen.add(node.getNode() + " " + node.getStatus());
        try {
            volumes.volumeStatus("default", "none", null, null);
        } catch (ApiException e) {
            seen.add("none: " + e.getCode() + " " + e.getResponseBody().contains("urn:csi4j:problem:not-found"));
        }
        volumes.volumeRecheck("default", "db-1", Map.of(), BigDecimal.valueOf(10), "my-key");
        seen.add("operations: "
                + new OperationApi(client).operationList(null, null, null, null).getItems().get(0).getCommand());
        try {
            volumes.volumeExpand("default", "db-1", new VolumeExpandRequest(), BigDecimal.TEN, null);
        } catch (ApiException e) {
            seen.add("expand: " + e.getCode());
        }
        return seen;
    }
}

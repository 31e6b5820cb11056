package io.csi4j.examples.scheduler;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.ArrayList;
import java.util.List;

/** The claims of an allocation, as the leader sends them to the agent of its node. */
final class AssignedClaims {
    private AssignedClaims() {}

    static JsonObject write(ClaimRequest claim) {
        VolumeTemplate template = claim.template().orElseThrow();
        JsonObject row = new JsonObject();
        row.addProperty("volume", claim.volume().volumeId().value());
        row.addProperty("mode", claim.mode().name());
        row.addProperty("accessMode", claim.capability().accessMode().name());
        row.addProperty("class", template.className().value());
        row.addProperty("bytes", template.capacityRange().orElseThrow().requiredBytes());
        row.addProperty("lifetime", template.lifetime().name());
        template.workload().ifPresent(owner -> {
            row.addProperty("job", owner.name().value());
            row.addProperty("incarnation", owner.incarnation());
        });
        return row;
    }

    static List<ClaimRequest> read(JsonArray rows) {
        List<ClaimRequest> requests = new ArrayList<>();
        for (JsonElement element : rows) {
            JsonObject row = element.getAsJsonObject();
            requests.add(ClaimRequest.of(
                            VolumeKey.of(
                                    JobFile.NAMESPACE.value(), row.get("volume").getAsString()),
                            ClaimMode.valueOf(row.get("mode").getAsString()),
                            RequestedCapability.mount(VolumeAccessMode.valueOf(
                                    row.get("accessMode").getAsString())))
                    .madeFrom(template(row)));
        }
        return requests;
    }

    private static VolumeTemplate template(JsonObject row) {
        VolumeTemplate.Builder template = VolumeTemplate.builder(
                        VolumeClassName.of(row.get("class").getAsString()))
                .capacityRange(CapacityRange.atLeast(row.get("bytes").getAsLong()));
        return switch (VolumeLifetime.valueOf(row.get("lifetime").getAsString())) {
            case PERSISTENT -> template.build();
            case ALLOCATION -> template.ofAllocation().build();
            case WORKLOAD ->
                template.ofWorkload(WorkloadOwner.of(
                                row.get("job").getAsString(),
                                row.get("incarnation").getAsLong()))
                        .reuseRetained(true)
                        .build();
        };
    }
}

package io.csi4j.core.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.volume.PlaceCapacity;
import io.csi4j.core.volume.VolumeClass;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A leader that asks a plugin with two zones for the free capacity of classes. */
abstract class CapacityRig extends TemplateRig {
    static final Duration INTERVAL = Duration.ofMinutes(1);

    List<PlaceCapacity> known(VolumeClassName name) {
        return rig.done(leader.classes().capacity(name, Optional.empty(), 100_000))
                .items();
    }

    PlaceCapacity known(String zone) {
        return known(FAST).stream()
                .filter(place -> place.topology().equals(Optional.of(zone(zone))))
                .findFirst()
                .orElseThrow();
    }

    List<GetCapacityRequest> asked() {
        return rig.gateway.requests(Rpc.GET_CAPACITY).stream()
                .map(GetCapacityRequest.class::cast)
                .toList();
    }

    long asked(String zone) {
        return asked().stream()
                .filter(request -> request.accessibleTopology().equals(Optional.of(zone(zone))))
                .count();
    }

    void free(long bytes) {
        rig.provider.capacity = request -> new GetCapacityResponse(bytes, Optional.empty(), Optional.empty());
    }

    void put(VolumeClass.Builder row) {
        rig.done(leader.classes().put(row.build()));
    }

    static VolumeClass.Builder row(String name) {
        return VolumeClass.builder(VolumeClassName.of(name), VolumeRig.PLUGIN).requestedCapabilities(List.of(MOUNT));
    }

    void waitFor(Duration time) {
        rig.clock.advance(time);
        rig.run();
    }
}

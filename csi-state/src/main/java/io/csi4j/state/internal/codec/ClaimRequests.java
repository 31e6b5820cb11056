package io.csi4j.state.internal.codec;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.values.internal.Values;
import java.util.List;
import java.util.Optional;

/** The requests for claims, in commands and in rows. Their mount flags and attributes pass through the cipher. */
final class ClaimRequests {
    private final ConfidentialParts confidential;

    ClaimRequests(ConfidentialParts confidential) {
        this.confidential = confidential;
    }

    List<StateProto.ClaimRequest> requests(List<ClaimRequest> requests) {
        return requests.stream().map(this::request).toList();
    }

    /** Reads requests of a message. */
    List<ClaimRequest> read(List<StateProto.ClaimRequest> rows) {
        return rows.stream().map(this::request).toList();
    }

    private StateProto.ClaimRequest request(ClaimRequest request) {
        StateProto.ClaimRequest.Builder row = StateProto.ClaimRequest.newBuilder()
                .setKey(Values.key(request.volume()))
                .setMode(request.mode().name())
                .setCapability(Parts.capability(request.capability()));
        if (!request.mountOptions().withoutFlags().isEmpty()) {
            row.setMountOptions(Parts.mountOptions(request.mountOptions()));
        }
        confidential
                .hideAny(request.volume(), ConfidentialParts.TAKE_CLAIMS, confidentialValues(request))
                .ifPresent(row::setConfidential);
        request.template().map(ClassParts::template).ifPresent(row::setTemplate);
        return row.build();
    }

    private static StateProto.Confidential.Builder confidentialValues(ClaimRequest request) {
        StateProto.Confidential.Builder values = StateProto.Confidential.newBuilder();
        if (!request.mountOptions().mountFlags().isEmpty()) {
            values.addClaims(StateProto.Claim.newBuilder().setMountOptions(Parts.mountFlags(request.mountOptions())));
        }
        request.template()
                .map(VolumeTemplate::attributes)
                .filter(attributes -> !attributes.isEmpty())
                .ifPresent(attributes -> values.setSpec(
                        StateProto.VolumeSpec.newBuilder().addAllParameters(Values.entries(attributes))));
        return values;
    }

    private ClaimRequest request(StateProto.ClaimRequest row) {
        VolumeKey key = Values.key(row.getKey());
        StateProto.Confidential hidden = confidential.revealAny(
                key, ConfidentialParts.TAKE_CLAIMS, row.hasConfidential(), row.getConfidential());
        ValuesProto.MountOptions flags =
                hidden.getClaimsCount() == 0 ? null : hidden.getClaims(0).getMountOptions();
        return new ClaimRequest(
                key,
                Parts.name(ClaimMode.class, "mode", row.getMode()),
                Parts.capability(row.getCapability()),
                Values.mountOptions(VolumeFromProto.merged(row.getMountOptions(), flags)),
                row.hasTemplate()
                        ? Optional.of(ClassParts.template(
                                row.getTemplate(),
                                Values.entries(hidden.getSpec().getParametersList())))
                        : Optional.empty());
    }
}

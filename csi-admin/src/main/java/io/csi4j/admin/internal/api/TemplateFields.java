package io.csi4j.admin.internal.api;

import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The template of a volume that a claim makes, as fields beside those of the claim, so that a command line can give them in
 * one option.
 */
final class TemplateFields {
    /** The class, with which the other fields may be given. */
    private static final Parameter CLASS = Parameter.body(
            "class",
            Parameter.Type.TEXT,
            "The class from which the claim makes the volume if it does not exist; without it, the volume has to exist.");

    static final List<Parameter> ALL = List.of(
            CLASS,
            Parameter.body(
                    "requiredBytes",
                    Parameter.Type.BYTES,
                    "The smallest permitted size in bytes; the size of the class if no size is given."),
            Parameter.body("limitBytes", Parameter.Type.BYTES, "The largest permitted size in bytes."),
            Parameter.body("lifetime", VolumeLifetime.class, "How long the volume lives; PERSISTENT if not given."),
            Parameter.body(
                    "workload", Parameter.Type.TEXT, "The workload to which it belongs, with the lifetime WORKLOAD."),
            Parameter.body("incarnation", Parameter.Type.NUMBER, "The life of the workload, counted from 1."),
            Parameter.body(
                    "reuseRetained",
                    Parameter.Type.FLAG,
                    "Whether the claim takes a volume that an earlier life of the workload has left."),
            Parameter.body(
                    "nodeTopologyOnly",
                    Parameter.Type.FLAG,
                    "Whether the volume has to be in the topology of the node."),
            Parameter.body("keepUnused", Parameter.Type.FLAG, "Whether the volume stays if no claim takes it."),
            Parameter.body("attributes", Parameter.Type.MAP, "The attributes of an inline volume; not shown."),
            Parameter.body(
                    "sourceSnapshotId", Parameter.Type.TEXT, "The provider's id of a snapshot with its content."),
            Parameter.body("sourceVolumeId", Parameter.Type.TEXT, "The provider's id of a volume with its content."));

    private TemplateFields() {}

    /** Returns the template of a claim; empty if it names no class. */
    static Optional<VolumeTemplate> template(Values values) {
        Optional<VolumeClassName> name = values.maybe(CLASS.name(), VolumeClassName::of);
        BadRequestException.Collected problems = new BadRequestException.Collected();
        if (name.isEmpty()) {
            ALL.stream()
                    .map(Parameter::name)
                    .filter(values::has)
                    .forEach(field -> problems.add(new Problem(
                            values.field(field), "is given without class", "give class, or leave out " + field)));
            problems.end();
            return Optional.empty();
        }
        VolumeTemplate.Builder template = VolumeTemplate.builder(name.get())
                .reuseRetained(values.flag("reuseRetained"))
                .nodeTopologyOnly(values.flag("nodeTopologyOnly"))
                .keepUnused(values.flag("keepUnused"));
        problems.part(() -> {
            if (values.has("requiredBytes") || values.has("limitBytes")) {
                template.capacityRange(ActionFields.range(values, values.field("requiredBytes")));
            }
        });
        problems.part(() -> lifetime(values, template));
        problems.part(() ->
                ActionFields.valid(values.field("attributes"), () -> template.attributes(values.map("attributes"))));
        problems.part(() -> template.contentSource(source(values)));
        problems.end();
        return Optional.of(template.build());
    }

    private static void lifetime(Values values, VolumeTemplate.Builder template) {
        VolumeLifetime lifetime =
                values.maybeChoice("lifetime", VolumeLifetime.class).orElse(VolumeLifetime.PERSISTENT);
        Optional<WorkloadName> workload = values.maybe("workload", WorkloadName::of);
        OptionalLong incarnation = values.number("incarnation");
        boolean ofWorkload = lifetime == VolumeLifetime.WORKLOAD;
        if (workload.isPresent() != ofWorkload || incarnation.isPresent() != ofWorkload) {
            throw new BadRequestException(
                    values.field("lifetime"),
                    "is " + lifetime + (ofWorkload ? " without workload and incarnation" : " with a workload"),
                    ofWorkload ? "give both" : "use WORKLOAD, or leave out workload and incarnation");
        }
        if (lifetime == VolumeLifetime.ALLOCATION) {
            template.ofAllocation();
        }
        workload.ifPresent(name -> template.ofWorkload(ActionFields.valid(
                values.field("incarnation"), () -> new WorkloadOwner(name, incarnation.orElseThrow()))));
    }

    private static @Nullable VolumeContentSource source(Values values) {
        Optional<VolumeContentSource> snapshot =
                values.maybe("sourceSnapshotId", SnapshotId::of).map(VolumeContentSource::snapshot);
        Optional<VolumeContentSource> volume =
                values.maybe("sourceVolumeId", ExternalVolumeId::of).map(VolumeContentSource::volume);
        if (snapshot.isPresent() && volume.isPresent()) {
            throw new BadRequestException(
                    values.field("sourceVolumeId"), "is given with sourceSnapshotId", "give one of the two");
        }
        return snapshot.or(() -> volume).orElse(null);
    }
}

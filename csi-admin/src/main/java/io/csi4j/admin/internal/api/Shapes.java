package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.core.volume.VolumeLifetime;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** The shapes that several objects have. */
final class Shapes {
    /** A key of a volume. */
    static final Shape<VolumeKey> KEY = Shape.<VolumeKey>of("VolumeKey", "The key of a volume.")
            .text("namespace", "The namespace.", key -> key.namespace().value())
            .column()
            .text("volume", "The id in its namespace.", key -> key.volumeId().value())
            .column()
            .build();

    /** A use of a volume. */
    static final Shape<RequestedCapability> CAPABILITY = Shape.<RequestedCapability>of(
                    "Capability", "How a volume is used: how many may use it, and as a block device or a file system.")
            .choice(
                    "accessMode",
                    "How many nodes and allocations may use the volume at the same time, for reading or writing.",
                    VolumeAccessMode.class,
                    RequestedCapability::accessMode)
            .column()
            .choice(
                    "attachmentMode",
                    "Block device or mounted file system.",
                    AttachmentMode.class,
                    RequestedCapability::attachmentMode)
            .column()
            .build();

    /** A topology. */
    static final Shape<Topology> TOPOLOGY = Shape.<Topology>of("Topology", "A place, for example a zone of a region.")
            .map("segments", "The value for each key.", Topology::segments)
            .build();

    /** Failed attempts. */
    private static final Shape<Retry> RETRY = Shape.<Retry>of("Retry", "The failed attempts at the present step.")
            .number("attempts", "Their number.", Retry::attempts)
            .column()
            .text("lastError", "The reason of the last failure.", Retry::lastError)
            .optional()
            .column("ERROR")
            .time("nextRetry", "The time of the next attempt; absent if none is planned.", Retry::nextRetry)
            .optional()
            .column()
            .flag("refused", "Whether there is no further attempt, because the last one was refused.", Retry::refused)
            .flag(
                    "outcomeUnknown",
                    "Whether the outcome of a call is not known.",
                    retry -> retry.unresolved().isPresent())
            .build();

    /** A statement of an operator. */
    static final Shape<OperatorOverride> STATEMENT = Shape.<OperatorOverride>of(
                    "OperatorStatement", "The statement of an operator, in place of a proof.")
            .text("operator", "The name of the operator.", OperatorOverride::operator)
            .text("reason", "The operator's evidence.", OperatorOverride::reason)
            .time("at", "The time of the statement.", OperatorOverride::at)
            .build();

    /** An attachment. */
    static final Shape<Attachment> ATTACHMENT = retry(
                    Shape.<Attachment>of("Attachment", "A volume at a node, as the controller has attached it.")
                            .text("node", "The node.", Attachment::nodeId)
                            .column()
                            .text(
                                    "externalNodeId",
                                    "The storage provider's id of the node.",
                                    Attachment::externalNodeId)
                            .optional()
                            .choice("state", "The last known state.", AttachmentState.class, Attachment::state)
                            .column()
                            .flag("readonly", "Whether it is attached read-only.", Attachment::readonly)
                            .column()
                            .object("capability", "The use on the node.", CAPABILITY, Attachment::capability)
                            .number("createIndex", "The index of the command that added it.", Attachment::createIndex),
                    Attachment::retry)
            .maybe("override", "The statement that it is detached.", STATEMENT, Attachment::operatorOverride)
            .build();

    /** A claim that blocks another one. */
    private static final Shape<Holder> HOLDER = Shape.<Holder>of("Holder", "A claim that blocks another one.")
            .text("allocation", "The allocation.", Holder::allocationId)
            .column()
            .text("node", "The node of the allocation.", Holder::nodeId)
            .column()
            .choice("mode", "Whether the allocation reads or writes.", ClaimMode.class, Holder::mode)
            .column()
            .choice("state", "The state of its claim.", ClaimState.class, Holder::state)
            .column()
            .build();

    /** A requested size. */
    static final Shape<CapacityRange> RANGE = Shape.<CapacityRange>of("CapacityRange", "A requested size.")
            .number("requiredBytes", "The smallest size in bytes; 0 for no lower bound.", CapacityRange::requiredBytes)
            .number("limitBytes", "The largest size in bytes; 0 for no upper bound.", CapacityRange::limitBytes)
            .build();

    static final Shape<VolumeContentSource> SOURCE = Shape.<VolumeContentSource>of(
                    "ContentSource", "The origin of a volume's content.")
            .text(
                    "snapshotId",
                    "The snapshot, by its id at the storage provider.",
                    source -> source instanceof VolumeContentSource.SnapshotSource of ? of.snapshotId() : null)
            .optional()
            .text(
                    "volumeId",
                    "The volume, by its id at the storage provider.",
                    source -> source instanceof VolumeContentSource.VolumeSource of ? of.volumeId() : null)
            .optional()
            .build();

    /** The template of a claim request. */
    private static final Shape<VolumeTemplate> TEMPLATE = Shape.<VolumeTemplate>of(
                    "VolumeTemplate", "The volume that a claim makes from a class, if it does not exist.")
            .text("class", "The class.", VolumeTemplate::className)
            .maybe(
                    "capacityRange",
                    "The requested size; absent for the default of the class.",
                    RANGE,
                    VolumeTemplate::capacityRange)
            .objects(
                    "requestedCapabilities",
                    "The uses that it has to allow; none for those of the class.",
                    CAPABILITY,
                    VolumeTemplate::requestedCapabilities)
            .choice("lifetime", "How long the volume lives.", VolumeLifetime.class, VolumeTemplate::lifetime)
            .text(
                    "workload",
                    "The workload to which it will belong, with the lifetime WORKLOAD.",
                    template -> template.workload().map(workload -> workload.name()))
            .optional()
            .number(
                    "incarnation",
                    "The life of the workload.",
                    template -> template.workload()
                            .map(workload -> OptionalLong.of(workload.incarnation()))
                            .orElse(OptionalLong.empty()))
            .optional()
            .flag(
                    "reuseRetained",
                    "Whether the claim takes a volume that an earlier life of the workload has left.",
                    VolumeTemplate::reuseRetained)
            .flag(
                    "nodeTopologyOnly",
                    "Whether the volume has to be in the topology of the node.",
                    VolumeTemplate::nodeTopologyOnly)
            .flag("keepUnused", "Whether the volume stays if no claim takes it.", VolumeTemplate::keepUnused)
            .maybe(
                    "contentSource",
                    "The snapshot or volume whose content it gets; absent for an empty volume.",
                    SOURCE,
                    VolumeTemplate::contentSource)
            .number(
                    "attributes",
                    "The number of attributes of an inline volume, which are not shown.",
                    template -> template.attributes().size())
            .build();

    /** A requested volume. */
    private static final Shape<ClaimRequest> CLAIM_REQUEST = Shape.<ClaimRequest>of(
                    "ClaimRequest", "A volume that an allocation has requested.")
            .text(
                    "namespace",
                    "The namespace of the volume.",
                    r -> r.volume().namespace().value())
            .column()
            .text(
                    "volume",
                    "The volume.",
                    request -> request.volume().volumeId().value())
            .column()
            .choice("mode", "Whether the allocation reads or writes.", ClaimMode.class, ClaimRequest::mode)
            .column()
            .object("capability", "The requested use.", CAPABILITY, ClaimRequest::capability)
            .maybe(
                    "template",
                    "The volume that the claim makes if there is none; absent for a volume that has to exist.",
                    TEMPLATE,
                    ClaimRequest::template)
            .build();

    /** A waiting claim. */
    static final Shape<WaitingClaim> WAITING_CLAIM = Shape.<WaitingClaim>of(
                    "WaitingClaim", "A claim request that is not granted yet.")
            .text("allocation", "The allocation that waits.", WaitingClaim::allocationId)
            .column()
            .time("since", "The time of the request.", WaitingClaim::since)
            .column()
            .text(
                    "namespace",
                    "The namespace of the volume that the request waits for.",
                    claim -> claim.volume().map(VolumeKey::namespace))
            .optional()
            .column()
            .text(
                    "volume",
                    "The volume that the request waits for; absent while the engine decides.",
                    claim -> claim.volume().map(VolumeKey::volumeId))
            .optional()
            .column()
            .choice(
                    "reason",
                    "The reason of the wait; absent while the engine decides.",
                    WaitReason.class,
                    claim -> claim.reason().map(wait -> wait.reason()))
            .optional()
            .column()
            .text("text", "The reason in words, with the claims that block it.", WaitingClaim::text)
            .column("DETAIL")
            .text("behind", "The allocation of the earlier request that has to be granted first.", WaitingClaim::behind)
            .optional()
            .text(
                    "cause",
                    "What ends the wait, and what an operator can do, if it does not end by itself; may be empty.",
                    WaitingClaim::cause)
            .objects(
                    "holders",
                    "The claims that have to be released first.",
                    HOLDER,
                    claim -> claim.reason().map(wait -> wait.holders()).orElse(List.of()))
            .objects(
                    "requests",
                    "The volumes that the allocation requested together.",
                    CLAIM_REQUEST,
                    WaitingClaim::requests)
            .build();

    private Shapes() {}

    /** Adds the failed attempts of something, if there are any. */
    static <T> Shape.Builder<T> retry(Shape.Builder<T> shape, Function<T, Retry> retry) {
        return shape.maybe(
                "retry",
                "The failed attempts; absent if there are none.",
                RETRY,
                value -> Optional.of(retry.apply(value))
                        .filter(tried -> tried.attempts() > 0
                                || tried.lastError().isPresent()
                                || tried.unresolved().isPresent()));
    }

    /** Adds what every claim has. */
    static <T> Shape.Builder<T> claim(Shape.Builder<T> shape, Function<T, Claim> claim) {
        return retry(
                        shape.text(
                                        "node",
                                        "The node of the allocation.",
                                        value -> claim.apply(value).nodeId())
                                .column()
                                .text(
                                        "externalNodeId",
                                        "The storage provider's id of the node at the time of the claim.",
                                        value -> claim.apply(value).externalNodeId())
                                .optional()
                                .choice(
                                        "mode",
                                        "Whether the allocation reads or writes.",
                                        ClaimMode.class,
                                        value -> claim.apply(value).mode())
                                .column()
                                .choice(
                                        "state",
                                        "The state, from taken to ready to free.",
                                        ClaimState.class,
                                        value -> claim.apply(value).state())
                                .column()
                                .object(
                                        "capability",
                                        "The use.",
                                        CAPABILITY,
                                        value -> claim.apply(value).capability())
                                .text(
                                        "securityLabel",
                                        "The security label that the workload needs; whether the files have it, its node"
                                                + " says.",
                                        value -> claim.apply(value)
                                                .mountOptions()
                                                .securityLabel()
                                                .map(SecurityLabel::context))
                                .optional()
                                .number(
                                        "createIndex",
                                        "The index of the command that took it.",
                                        value -> claim.apply(value).createIndex())
                                .number(
                                        "takenIndex",
                                        "The index of the last command that requested it.",
                                        value -> claim.apply(value).takenIndex()),
                        value -> claim.apply(value).retry())
                .maybe(
                        "override",
                        "The statement that the volume is not mounted or staged on the node any more.",
                        STATEMENT,
                        value -> claim.apply(value).operatorOverride())
                .maybe(
                        "formerVolume",
                        "The key that the volume had when the node mounted it, if it was another one.",
                        KEY,
                        value -> claim.apply(value).formerVolume())
                .flag(
                        "adopted",
                        "Whether the claim was made from the report of a node, because the state had lost it.",
                        value -> claim.apply(value).adopted());
    }
}

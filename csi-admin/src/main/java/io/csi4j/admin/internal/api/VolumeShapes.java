package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.CallFailure;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.lifecycle.VolumeSummary;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.CreationForecast;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** The shapes of volumes. */
final class VolumeShapes {
    private static final String RETAINED =
            "The time when the workload ended that the volume outlives; absent if the volume is not retained.";

    /** A volume in a list. */
    static final Shape<VolumeSummary> SUMMARY = Shape.<VolumeSummary>of("VolumeSummary", "A volume in a list.")
            .text("namespace", "The namespace.", v -> v.key().namespace().value())
            .column()
            .text("volume", "The id in its namespace.", v -> v.key().volumeId().value())
            .column()
            .text("plugin", "The plugin.", v -> v.pluginId().value())
            .column()
            .text(
                    "provider",
                    "The name of the plugin's driver.",
                    v -> v.plugin().provider())
            .optional()
            .text(
                    "vendorVersion",
                    "The version of the plugin's driver.",
                    v -> v.plugin().vendorVersion())
            .optional()
            .text(
                    "class",
                    "The class from which it was made.",
                    v -> v.classOrigin().map(ClassOrigin::name))
            .optional()
            .choice("phase", "The phase of its life.", VolumePhase.class, VolumeSummary::phase)
            .column()
            .maybe(
                    "owner",
                    "The allocation or workload to which it belongs; absent if there is none, or the caller may not read"
                            + " the volume.",
                    OwnerShapes.OWNER,
                    VolumeSummary::owner)
            .number("capacityBytes", "The size in bytes; 0 if it is not known.", VolumeSummary::capacityBytes)
            .column("SIZE")
            .objects("access", "The uses that it allows.", Shapes.CAPABILITY, VolumeSummary::access)
            .maybe(
                    "use",
                    "The use that all its claims have; absent without claims.",
                    Shapes.CAPABILITY,
                    VolumeSummary::use)
            .text("fsType", "The declared type of the file system; may be empty.", VolumeSummary::fsType)
            .number(
                    "mountFlags",
                    "The number of declared mount flags. The flags themselves are not shown.",
                    VolumeSummary::mountFlags)
            .flag("schedulable", "Whether the plugin can serve claims on some node.", VolumeSummary::schedulable)
            .number("taken", "The claims that hold it.", VolumeSummary::taken)
            .column("CLAIMS")
            .number("releasing", "The claims that are being released.", VolumeSummary::releasing)
            .number("waiting", "The claims that wait for it; only the leader knows them.", VolumeSummary::waiting)
            .optional()
            .column()
            .choice(
                    "health",
                    "ABNORMAL if the leader knows a problem; HEALTHY if the plugin has reported that there is none.",
                    HealthVerdict.class,
                    VolumeSummary::health)
            .optional()
            .column()
            .time("retainedSince", RETAINED, VolumeSummary::retainedSince)
            .optional()
            .texts(
                    "problems",
                    "The causes of ABNORMAL; empty for callers who may not read the volume.",
                    VolumeSummary::problems)
            .optional()
            .build();

    private static final Shape<ClassOrigin> CLASS_ORIGIN = Shape.<ClassOrigin>of(
                    "ClassOrigin", "The class of a volume, as it was when the volume was made.")
            .text("class", "The name.", ClassOrigin::name)
            .number(
                    "incarnation",
                    "The createIndex of the class. A class that was removed and put again has another one.",
                    ClassOrigin::incarnation)
            .number(
                    "version",
                    "The modifyIndex of the class at that time. If it has a greater one now, it has changed since.",
                    ClassOrigin::version)
            .choice(
                    "reclaim",
                    "Whether the volume is deleted or retained when its workload ends.",
                    ReclaimPolicy.class,
                    ClassOrigin::reclaim)
            .build();

    private static final Shape<Map.Entry<AllocationId, Expansion.OnNode>> EXPANSION_ON_NODE = Shapes.retry(
                    Shape.<Map.Entry<AllocationId, Expansion.OnNode>>of(
                                    "ExpansionOnNode", "The expansion at the node of a claim.")
                            .text("allocation", "The allocation of the claim.", Map.Entry::getKey)
                            .column()
                            .flag(
                                    "done",
                                    "Whether the node has expanded the volume.",
                                    step -> step.getValue().done())
                            .column()
                            .number(
                                    "capacityBytes",
                                    "The size in bytes that the node reported; 0 if none.",
                                    step -> step.getValue().capacityBytes())
                            .column("SIZE"),
                    step -> step.getValue().retry())
            .build();

    private static final Shape<Expansion> EXPANSION = Shapes.retry(
                    Shape.<Expansion>of("Expansion", "An expansion that is not finished.")
                            .object("range", "The requested size.", Shapes.RANGE, Expansion::range)
                            .choice(
                                    "stage",
                                    "Whether the controller or the nodes expand next.",
                                    Expansion.Stage.class,
                                    Expansion::stage),
                    Expansion::retry)
            .objects(
                    "nodes",
                    "The progress at the nodes.",
                    EXPANSION_ON_NODE,
                    e -> e.nodes().entrySet())
            .build();

    private static final Shape<Modification> MODIFICATION = Shapes.retry(
                    Shape.<Modification>of("Modification", "A change of parameters that is not finished.")
                            .texts(
                                    "parameters",
                                    "The names of the parameters. Their values are not shown.",
                                    change -> change.requested().keySet()),
                    Modification::retry)
            .build();

    static final Shape<Verification> VERIFICATION = Shapes.retry(
                    Shape.<Verification>of(
                                    "Verification",
                                    "What the storage provider has said about a volume since the state was restored.")
                            .choice("stage", "What is known.", Verification.Stage.class, Verification::stage)
                            .time(
                                    "since",
                                    "The time when it became CONFIRMED or LOST; absent while the provider is asked.",
                                    Verification::decidedAt)
                            .optional()
                            .number(
                                    "notFound",
                                    "The number of answers that the provider does not have the volume.",
                                    Verification::notFound)
                            .text("remedy", "What to do about a lost volume.", Verification::remedy)
                            .optional(),
                    Verification::retry)
            .build();

    private static final Shape<VolumeView.ClaimView> CLAIM = Shapes.claim(
                    Shape.<VolumeView.ClaimView>of("Claim", "A claim of an allocation on the volume.")
                            .text(
                                    "allocation",
                                    "The allocation.",
                                    c -> c.claim().allocationId())
                            .column(),
                    VolumeView.ClaimView::claim)
            .choice(
                    "allocationStatus",
                    "The status that the host reported last; absent if the host has removed the allocation.",
                    AllocationStatus.class,
                    claim -> claim.allocation().map(allocation -> allocation.status()))
            .optional()
            .column("ALLOCATION STATUS")
            .build();

    private static final Shape<RemainingWork.Step> STEP = Shape.<RemainingWork.Step>of(
                    "Step", "A step that the leader takes now.")
            .choice("kind", "The kind.", RemainingWork.Kind.class, RemainingWork.Step::kind)
            .column()
            .text("node", "The node; absent if the step is about the volume itself.", RemainingWork.Step::nodeId)
            .optional()
            .column()
            .text(
                    "allocation",
                    "The allocation of the claim, if the step is about one.",
                    RemainingWork.Step::allocationId)
            .optional()
            .column()
            .build();

    private static final Shape<RemainingWork.Wait> WAIT = Shape.<RemainingWork.Wait>of("Wait", "A step that waits.")
            .choice("reason", "The reason.", RemainingWork.Reason.class, RemainingWork.Wait::reason)
            .column()
            .text("node", "The node; absent if the step is about the volume itself.", RemainingWork.Wait::nodeId)
            .optional()
            .column()
            .text(
                    "allocation",
                    "The allocation of the claim, if the step is about one.",
                    RemainingWork.Wait::allocationId)
            .optional()
            .column()
            .time("until", "The time at which the wait ends; absent if an event ends it.", RemainingWork.Wait::until)
            .optional()
            .column()
            .build();

    private static final Shape<VolumeStatus> REMAINING = Shape.<VolumeStatus>of(
                    "RemainingWork", "The work that remains for a volume.")
            .flag(
                    "done",
                    "Whether nothing remains, neither for the leader nor, by their last reports, for nodes.",
                    s -> s.remaining().isDone() && s.unfinishedOnNodes().isEmpty())
            .optional()
            .objects(
                    "steps",
                    "The steps that the leader takes now.",
                    STEP,
                    s -> s.remaining().steps())
            .objects(
                    "waits",
                    "The steps that wait, each with the reason.",
                    WAIT,
                    s -> s.remaining().waits())
            .texts(
                    "nodes",
                    "The unfinished work of nodes, as they reported it last. They do it for their agents, without a step"
                            + " of the leader; node status asks for it now.",
                    s -> s.unfinishedOnNodes().stream().map(VolumeShapes::work).toList())
            .optional()
            .time(
                    "nextAttempt",
                    "The time of the leader's next attempt, if nothing happens before; absent if only an event can start"
                            + " one.",
                    s -> s.remaining().nextAttempt())
            .optional()
            .build();

    /** Returns the work of a node that is not finished, for people. */
    static String work(VolumeStatus.OnNode reported) {
        NodeVolume volume = reported.volume();
        String why = volume.call()
                .map(call -> call.rpc().csiName() + " has no answer")
                .orElse(volume.lastError().isEmpty() ? volume.waitingFor() : volume.lastError());
        return "node " + reported.nodeId() + (volume.isUnmounting() ? " unmounts" : " mounts") + ", for "
                + volume.unfinishedFor().toSeconds() + " s when it reported" + (why.isEmpty() ? "" : " (" + why + ")");
    }

    static final Shape<CallFailure> FAILURE = Shape.<CallFailure>of(
                    "CallFailure", "The last failure of a call that has not succeeded since.")
            .choice("rpc", "The RPC.", Rpc.class, CallFailure::rpc)
            .column()
            .text("node", "The node; absent if the call is about the volume itself.", CallFailure::nodeId)
            .optional()
            .column()
            .text("code", "The status code.", failure -> failure.code().name())
            .column()
            .number("failures", "The failures since it last succeeded.", CallFailure::failures)
            .column()
            .time("since", "The time of the first of them.", CallFailure::since)
            .time("at", "The time of the last one.", CallFailure::at)
            .column("LAST")
            .text("text", "The plugin's words.", CallFailure::text)
            .column()
            .build();

    /** A volume with all that concerns it. */
    static final Shape<VolumeStatus> STATUS = Shape.<VolumeStatus>of(
                    "VolumeStatus", "A volume with its claims, attachments, remaining work and mounts.")
            .text(
                    "namespace",
                    "The namespace.",
                    s -> volume(s).key().namespace().value())
            .text(
                    "volume",
                    "The id in its namespace.",
                    s -> volume(s).key().volumeId().value())
            .text("plugin", "The plugin.", s -> volume(s).pluginId())
            .text(
                    "provider",
                    "The name of the plugin's driver.",
                    s -> s.view().plugin().provider())
            .optional()
            .text(
                    "vendorVersion",
                    "The version of the plugin's driver.",
                    s -> s.view().plugin().vendorVersion())
            .optional()
            .flag(
                    "schedulable",
                    "Whether the plugin can serve claims on some node.",
                    s -> s.view().schedulable())
            .choice(
                    "phase",
                    "The phase of its life.",
                    VolumePhase.class,
                    s -> volume(s).phase())
            .choice(
                    "origin",
                    "Whether it was created, registered, or is made where it is published.",
                    VolumeOrigin.class,
                    s -> volume(s).origin())
            .maybe(
                    "classOrigin",
                    "The class from which it was made; absent if it was made without a class.",
                    CLASS_ORIGIN,
                    s -> volume(s).classOrigin())
            .maybe(
                    "owner",
                    "The allocation or workload to which it belongs; absent for a persistent volume.",
                    OwnerShapes.OWNER,
                    s -> volume(s).owner())
            .time("retainedSince", RETAINED, s -> volume(s).retainedSince())
            .optional()
            .maybe(
                    "firstClaim",
                    "The claim for which it is made; absent if it was claimed, or not made for a claim.",
                    OwnerShapes.FIRST_CLAIM,
                    s -> volume(s).firstClaim())
            .maybe(
                    "formerVolume",
                    "The key under which it was to be made, if it was given up: another volume may have that key, and"
                            + " this one is deleted.",
                    Shapes.KEY,
                    s -> volume(s).formerKey())
            .text(
                    "externalVolumeId",
                    "The storage provider's id, once it is known.",
                    s -> volume(s).externalVolumeId())
            .optional()
            .text("name", "The name in CreateVolume.", s -> volume(s).name())
            .number(
                    "capacityBytes",
                    "The size in bytes; 0 if it is not known.",
                    s -> volume(s).facts().capacityBytes())
            .maybe(
                    "capacityRange",
                    "The requested size.",
                    Shapes.RANGE,
                    s -> volume(s).spec().capacityRange())
            .objects(
                    "access",
                    "The uses that it allows.",
                    Shapes.CAPABILITY,
                    s -> volume(s).spec().requestedCapabilities())
            .maybe(
                    "use",
                    "The use that all its claims have.",
                    Shapes.CAPABILITY,
                    s -> volume(s).currentCapability())
            .text(
                    "fsType",
                    "The declared type of the file system; may be empty.",
                    s -> volume(s).spec().mountOptions().fsType())
            .objects(
                    "accessibleTopology",
                    "The places that can reach it; none if all can.",
                    Shapes.TOPOLOGY,
                    s -> volume(s).facts().accessibleTopology())
            .maybe(
                    "contentSource",
                    "The origin of its content.",
                    Shapes.SOURCE,
                    s -> volume(s).contentSource())
            .texts(
                    "sharedWith",
                    "The other namespaces whose allocations may claim it.",
                    s -> volume(s).spec().sharedWith())
            .choice(
                    "fencingPolicy",
                    "When claims on a node that does not answer end; absent if the volume declares nothing.",
                    Fencing.class,
                    s -> volume(s).spec().declaredFencingPolicy().map(Fencing::of))
            .optional()
            .seconds(
                    "fencingGrace",
                    "The grace of AFTER_GRACE.",
                    s -> volume(s).spec().declaredFencingPolicy().flatMap(Fencing::grace))
            .optional()
            .number(
                    "createIndex",
                    "The index of the command that added it.",
                    s -> volume(s).createIndex())
            .number(
                    "modifyIndex",
                    "The index of the last command that changed it.",
                    s -> volume(s).modifyIndex())
            .time(
                    "createdAt",
                    "The time of the command that added it.",
                    s -> volume(s).createdAt())
            .time("modifiedAt", "The time of its last change.", s -> volume(s).modifiedAt())
            .choice(
                    "creationForecast",
                    "What the plugin said about an unfinished creation.",
                    CreationForecast.class,
                    s -> Optional.of(volume(s))
                            .filter(volume -> volume.phase() == VolumePhase.CREATING)
                            .map(Volume::creationForecast))
            .optional()
            .maybe(
                    "expansion",
                    "The expansion that is not finished.",
                    EXPANSION,
                    s -> volume(s).expansion())
            .maybe(
                    "modification",
                    "The change of parameters that is not finished.",
                    MODIFICATION,
                    s -> volume(s).modification())
            .maybe(
                    "verification",
                    "What the provider has said since the last restore of the state; absent if it was not asked.",
                    VERIFICATION,
                    s -> volume(s).verification())
            .objects("claims", "Its claims.", CLAIM, s -> s.view().claims())
            .objects(
                    "attachments",
                    "Its attachments.",
                    Shapes.ATTACHMENT,
                    s -> volume(s).attachments())
            .object("remaining", "The work that remains.", REMAINING, status -> status)
            .objects(
                    "waiting",
                    "The claims that wait for it; only the leader knows them.",
                    Shapes.WAITING_CLAIM,
                    VolumeStatus::waiting)
            .optional()
            .objects(
                    "onNodes",
                    "What nodes reported of it last, also nodes without a claim; only the leader asks them.",
                    NodeShapes.ON_NODE,
                    VolumeStatus::onNodes)
            .optional()
            .objects(
                    "failures",
                    "The last failures of its calls in the plugin's words, since this server leads.",
                    FAILURE,
                    VolumeStatus::failures)
            .optional()
            .build();

    private static final Shape<VolumeHealthEntry> HEALTH_ENTRY = Shape.<VolumeHealthEntry>of(
                    "VolumeHealthEntry", "A problem of a volume that its plugin reported.")
            .choice(
                    "status",
                    "The kind; UNKNOWN for a kind that csi4j does not know.",
                    VolumeHealthStatus.class,
                    e -> e.status())
            .column()
            .text("reason", "A word for programs.", VolumeHealthEntry::reason)
            .column()
            .text("message", "A sentence for people.", VolumeHealthEntry::message)
            .column()
            .build();

    /** The health of a volume. */
    static final Shape<VolumeHealthReport> HEALTH = Shape.<VolumeHealthReport>of(
                    "VolumeHealth", "The health of a volume as its plugin reports it.")
            .choice("verdict", "The health.", HealthVerdict.class, VolumeHealthReport::verdict)
            .objects("entries", "The reported problems.", HEALTH_ENTRY, VolumeHealthReport::entries)
            .build();

    private static final Shape<VolumeUsage> USAGE = Shape.<VolumeUsage>of("VolumeUsage", "The usage in one unit.")
            .choice("unit", "The unit of the amounts.", VolumeUsageUnit.class, VolumeUsage::unit)
            .column()
            .number("available", "The free amount.", VolumeUsage::available)
            .column()
            .number("total", "The total amount.", VolumeUsage::total)
            .column()
            .number("used", "The used amount.", VolumeUsage::used)
            .column()
            .build();

    /** The usage of a volume. */
    static final Shape<NodeGetVolumeStatsResponse> STATS = Shape.<NodeGetVolumeStatsResponse>of(
                    "VolumeStats", "The usage of a volume on a node.")
            .objects("usage", "The usage in each unit.", USAGE, NodeGetVolumeStatsResponse::usage)
            .flag(
                    "abnormal",
                    "Whether the plugin says that the volume is abnormal, before CSI 1.13.",
                    stats -> stats.volumeCondition().map(condition -> condition.abnormal()))
            .optional()
            .text(
                    "message",
                    "What the plugin says about the condition of the volume.",
                    stats -> stats.volumeCondition().map(condition -> condition.message()))
            .optional()
            .build();

    /** The fencing policies by name. */
    enum Fencing {
        WAIT_FOR_CONFIRMATION,
        AFTER_GRACE,
        ON_FENCE;

        static Fencing of(FencingPolicy policy) {
            if (policy instanceof FencingPolicy.AfterGrace) {
                return AFTER_GRACE;
            }
            return policy instanceof FencingPolicy.OnFence ? ON_FENCE : WAIT_FOR_CONFIRMATION;
        }

        static Optional<Duration> grace(FencingPolicy policy) {
            return policy instanceof FencingPolicy.AfterGrace after ? Optional.of(after.grace()) : Optional.empty();
        }
    }

    private VolumeShapes() {}

    private static Volume volume(VolumeStatus status) {
        return status.view().volume();
    }
}

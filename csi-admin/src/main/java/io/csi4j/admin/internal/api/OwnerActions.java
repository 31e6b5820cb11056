package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.id.WorkloadName;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.VolumeSummary;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The actions on the workloads to which volumes belong. */
public final class OwnerActions {
    private static final String WRITE = "VOLUME_WRITE in the namespace of the volume";
    /** The volumes that are read at once for a preview. */
    private static final int PART = 1000;
    /** The volumes that a preview names; it counts all. */
    private static final int NAMED = 1000;

    private static final Parameter INCARNATION =
            Parameter.body("incarnation", Parameter.Type.NUMBER, "The life of the workload, counted from 1.");

    /** A volume that the end of a workload deletes or retains. */
    private record Ended(VolumeSummary volume, WorkloadOwner owner) {
        ReclaimPolicy reclaim() {
            return volume.classOrigin().map(ClassOrigin::reclaim).orElse(ReclaimPolicy.DELETE);
        }

        int claims() {
            return volume.taken() + volume.releasing();
        }
    }

    private static final Shape<Ended> ENDED = Shape.<Ended>of(
                    "EndedVolume", "A volume that the end of a workload deletes or retains.")
            .text(
                    "volume",
                    "The id in its namespace.",
                    ended -> ended.volume().key().volumeId().value())
            .column()
            .number(
                    "incarnation",
                    "The life of the workload to which it belongs.",
                    ended -> ended.owner().incarnation())
            .column()
            .choice("reclaim", "Whether it is deleted or retained.", ReclaimPolicy.class, Ended::reclaim)
            .column()
            .number("claims", "The claims that hold it: a volume is deleted after the last one.", Ended::claims)
            .column()
            .build();

    private static final Shape<List<Ended>> EFFECT = Shape.<List<Ended>>of(
                    "WorkloadEffect", "The effect of the end of a workload.")
            .number("deleted", "The number of volumes that are deleted.", all -> count(all, ReclaimPolicy.DELETE))
            .number("retained", "The number of volumes that are retained.", all -> count(all, ReclaimPolicy.RETAIN))
            .objects("volumes", "The first 1000 of them.", ENDED, all -> all.subList(0, Math.min(NAMED, all.size())))
            .build();

    /**
     * The answer to the end of a workload.
     *
     * @param effect the effect; empty if the request asked for no preview of it
     */
    private record Answer(boolean stored, Optional<List<Ended>> effect) {}

    private static final Shape<Answer> ANSWER = Shape.<Answer>of("WorkloadEnd", "The answer to the end of a workload.")
            .flag("stored", "Whether the end is stored; false after a dry run.", Answer::stored)
            .maybe("effect", "The effect; absent unless it is a dry run.", EFFECT, Answer::effect)
            .build();

    private OwnerActions() {}

    private static long count(List<Ended> all, ReclaimPolicy policy) {
        return all.stream().filter(ended -> ended.reclaim() == policy).count();
    }

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(setReclaim(), adopt(), end());
    }

    private static Endpoint setReclaim() {
        return Endpoint.put(
                        "volume set-reclaim",
                        VolumeActions.PATH + "/reclaim/{reclaim}",
                        "Change whether a volume is deleted or retained when its workload ends")
                .description("DELETE deletes a volume that is retained now, as soon as no claim holds it. Refused for a"
                        + " volume without a class, and while the volume is being deleted.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        Parameter.path("reclaim", ReclaimPolicy.class, "What becomes of the volume."))
                .needs(WRITE)
                .destroys()
                .action(call -> call.operations()
                        .volumes()
                        .setReclaim(
                                ActionFields.volume(call.values()),
                                call.values().parsed("reclaim", OwnerActions::policy)));
    }

    private static ReclaimPolicy policy(String word) {
        return Arrays.stream(ReclaimPolicy.values())
                .filter(policy -> policy.name().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("use one of "
                        + Arrays.stream(ReclaimPolicy.values()).map(Enum::name).collect(Collectors.joining(", "))));
    }

    private static Endpoint adopt() {
        return Endpoint.post("volume adopt", VolumeActions.PATH + "/adopt", "Give a volume to a workload, or to none")
                .description("For example one that was retained. Without a workload, the volume is persistent. Refused"
                        + " for a volume of an allocation, which ends with it, and for a workload that has ended.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        Parameter.body(
                                "workload",
                                Parameter.Type.TEXT,
                                "The workload, in the namespace of the volume; none if not given."),
                        INCARNATION)
                .needs(WRITE)
                .action(call -> call.operations().volumes().adopt(ActionFields.volume(call.values()), owner(call)));
    }

    /** Returns the workload of a request; empty if it names none. */
    private static Optional<WorkloadOwner> owner(Call call) {
        Optional<WorkloadName> name = call.values().maybe("workload", WorkloadName::of);
        OptionalLong incarnation = call.values().number("incarnation");
        if (name.isPresent() != incarnation.isPresent()) {
            String missing = name.isPresent() ? "incarnation" : "workload";
            throw new BadRequestException(
                    missing, "is missing", "give workload and incarnation, or neither for a persistent volume");
        }
        return name.map(
                known -> ActionFields.valid("incarnation", () -> new WorkloadOwner(known, incarnation.orElseThrow())));
    }

    private static Endpoint end() {
        return Endpoint.post(
                        "workload end",
                        "/v1/workloads/{namespace}/{workload}/{incarnation}/end",
                        "Report that a workload has ended, so that its volumes are deleted or retained")
                .description(
                        "The host reports this itself. The reclaim policy of each volume decides; a volume in use is"
                                + " deleted when its last claim is freed. No volume is made for this incarnation or an earlier"
                                + " one any more.")
                .with(
                        Parameter.path("namespace", "The namespace of the workload and its volumes."),
                        Parameter.path("workload", "The workload."),
                        Parameter.path("incarnation", "The life that has ended, with all before it."),
                        ActionFields.DRY_RUN)
                .needs("MANAGEMENT; with dryRun VOLUME_LIST and VOLUME_READ in the namespace")
                .destroys()
                .action(ANSWER, call -> {
                    Namespace namespace = call.values().parsed("namespace", Namespace::of);
                    WorkloadOwner workload = new WorkloadOwner(
                            call.values().parsed("workload", WorkloadName::of),
                            call.values().parsed("incarnation", OwnerActions::incarnation));
                    return call.values().flag("dryRun")
                            ? Futures.map(
                                    effect(call, namespace, workload, Optional.empty(), new ArrayList<>()),
                                    effect -> new Answer(false, Optional.of(effect)))
                            : Futures.map(
                                    call.operations().cluster().ownerEnded(namespace, workload),
                                    done -> new Answer(true, Optional.empty()));
                });
    }

    private static long incarnation(String text) {
        try {
            long number = Long.parseLong(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("it is no whole number", e);
        }
        throw new IllegalArgumentException("it is below 1");
    }

    /** Reads the volumes that belong to lives of the workload up to this one, page by page. */
    private static CompletableFuture<List<Ended>> effect(
            Call call, Namespace namespace, WorkloadOwner workload, Optional<VolumeKey> after, List<Ended> found) {
        return Steps.then(
                call.operations()
                        .volumes()
                        .list(VolumeQuery.builder()
                                .namespace(namespace)
                                .workload(workload.name())
                                .after(after.orElse(null))
                                .limit(PART)
                                .build()),
                page -> {
                    for (VolumeSummary volume : page.items()) {
                        volume.owner()
                                .flatMap(VolumeOwner::ofWorkload)
                                .filter(owner -> owner.endedAt().isEmpty()
                                        && owner.workload().incarnation() <= workload.incarnation())
                                .ifPresent(owner -> found.add(new Ended(volume, owner.workload())));
                    }
                    return page.next().isPresent()
                            ? effect(call, namespace, workload, page.next(), found)
                            : CompletableFuture.completedFuture(found);
                });
    }
}

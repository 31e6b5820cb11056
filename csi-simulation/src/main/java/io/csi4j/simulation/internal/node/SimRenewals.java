package io.csi4j.simulation.internal.node;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.node.PublishTokenProvider;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.Faults;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimWorld;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Issues the tokens of one machine, and checks how its agents publish volumes again while they are mounted. */
final class SimRenewals {
    private static final String TOKENS = "csi.storage.k8s.io/serviceAccount.tokens";
    /** In one of so many repeated calls, the plugin changes the mount. */
    private static final int CHANGES = 4;

    private static final Duration LIFE = Duration.ofSeconds(90);
    private static final Duration LONGEST_ISSUE = Duration.ofMillis(20);
    /** The time in which an agent that runs stores what it has learned from an answer. */
    private static final Duration STORED = Duration.ofSeconds(1);
    /** The time that an agent needs after its start before it makes the calls that are due. */
    private static final Duration STARTED = Duration.ofSeconds(5);

    private final SimWorld world;
    private final SimKernel kernel;
    private final Clock clock;
    private final Map<String, Issued> issued = new HashMap<>();
    private final Map<SimNode.Mount, Integer> requests = new HashMap<>();
    /** The number of requests for a mount when its unmount was requested. */
    private final Map<SimNode.Mount, Integer> unwanted = new HashMap<>();
    /** The number of requests for the mount of a target when its requested unmount began. */
    private final Map<String, Integer> ended = new HashMap<>();

    private final Map<String, Target> targets = new HashMap<>();
    private final Map<SimProcess, Integer> inFlight = new HashMap<>();
    /** When something last kept the agent from calls that were due. */
    private Duration disturbed = Duration.ZERO;

    private Duration tableFailed = Duration.ZERO;
    private long tokens;

    /** A token; its times are those since the start of the run. */
    private static final class Issued {
        private final ExternalVolumeId volume;
        private final AllocationId allocationId;
        private final String audience;
        private final Duration expires;
        private final long clockAhead;
        private boolean used;

        Issued(PublishTokenProvider.Request request, String audience, Duration expires, long clockAhead) {
            this.volume = request.id().externalVolumeId();
            this.allocationId = request.allocationId();
            this.audience = audience;
            this.expires = expires;
            this.clockAhead = clockAhead;
        }
    }

    /** The facts about the mount at a target that an agent has learned. */
    private static final class Target {
        /** The first entry of the mount table that an agent has stored; empty: none is stored for certain. */
        private String stored = "";
        /** Whether an agent has stored that the mount was changed. */
        private boolean changed;

        private int successes;
    }

    SimRenewals(SimWorld world, SimKernel kernel) {
        this.world = world;
        this.kernel = kernel;
        this.clock = world.clocks().node(kernel.node().id);
    }

    private Duration now() {
        return world.scheduler().elapsed();
    }

    /** By how many milliseconds the clock of the node is ahead of the time since the start of the run. */
    private long clockAhead() {
        return clock.millis() - now().toMillis();
    }

    /** Records that something keeps the agent from calls that are due, or that its calls fail. */
    void disturb() {
        disturbed = now();
    }

    void tableFailed() {
        disturb();
        tableFailed = now();
    }

    /** Records a request of a workload for a mount. */
    void requested(SimNode.Mount mount) {
        requests.merge(mount, 1, Integer::sum);
    }

    /** Records a request to unmount. */
    void unmountRequested(SimNode.Mount mount) {
        unwanted.put(mount, requests.getOrDefault(mount, 0));
    }

    /** Forgets the requests to unmount that a former agent got, because it may have ended before it stored them. */
    void agentChanged() {
        unwanted.clear();
    }

    /** Records that an agent begins a call, and its end. */
    void begins(SimProcess agent, CompletableFuture<?> answer) {
        inFlight.merge(agent, 1, Integer::sum);
        var unused = answer.whenComplete((result, failure) -> {
            inFlight.merge(agent, -1, Integer::sum);
            if (failure != null) {
                disturb();
            }
        });
    }

    /** Records that an agent begins to unmount a target; it does so without a request after a mount that failed. */
    void unmounts(String path, SimNode.Mount mount) {
        int asked = requests.getOrDefault(mount, 0);
        if (unwanted.getOrDefault(mount, -1) == asked) {
            ended.put(path, asked);
        }
    }

    /** Records that nothing is mounted at a target any more. */
    void unmounted(String path) {
        targets.remove(path);
    }

    void reboot() {
        targets.clear();
        inFlight.clear();
        disturb();
    }

    /** Returns the issuer of tokens for an agent. It may fail, hang, or give a token that ran out. */
    PublishTokenProvider issuer(SimProcess agent) {
        return request -> {
            CompletableFuture<List<PublishTokenProvider.Token>> answer = new CompletableFuture<>();
            if (world.faults().secretsHang()) {
                disturb();
                world.coverage().fault("tokens never come");
                return answer;
            }
            Faults.Fate fate = world.faults().fate();
            world.scheduler()
                    .within(
                            LONGEST_ISSUE,
                            () -> agent.run(() -> {
                                if (fate == Faults.Fate.REFUSED) {
                                    disturb();
                                    world.coverage().fault("no tokens");
                                    answer.completeExceptionally(new IOException("the issuer has no tokens"));
                                    return;
                                }
                                boolean late = fate == Faults.Fate.DONE_LATE;
                                if (late) {
                                    disturb();
                                    world.coverage().fault("token ran out before its call");
                                }
                                answer.complete(issue(request, late ? Duration.ofSeconds(-1) : LIFE));
                            }));
            return answer;
        };
    }

    private List<PublishTokenProvider.Token> issue(PublishTokenProvider.Request request, Duration life) {
        List<PublishTokenProvider.Token> made = new ArrayList<>();
        Instant expires = clock.instant().plus(life);
        for (String audience : request.audiences()) {
            String token = "token-" + kernel.node().externalId + "-" + ++tokens;
            issued.put(token, new Issued(request, audience, now().plus(life), clockAhead()));
            made.add(new PublishTokenProvider.Token(audience, token, expires));
        }
        return made;
    }

    /** Checks a NodePublishVolume when a running agent makes it. */
    void publishes(NodePublishVolumeRequest request, SimNode.Mount mount, RepublishOptions options) {
        String path = request.targetPath();
        int asked = requests.getOrDefault(mount, 0);
        NodePublishVolumeRequest before = kernel.published(path);
        if (ended.getOrDefault(path, -1) == asked) {
            world.reportViolation("I16: a target is published again after its unmount began: " + path);
            return;
        }
        ended.remove(path);
        if (before != null
                && kernel.inline(path) == null
                && !withoutTokens(before).equals(withoutTokens(request))) {
            world.reportViolation("R29: a target is published again with other fields: " + path);
            return;
        }
        checkTokens(request, mount.allocationId(), options);
    }

    /** Returns a request without the tokens that it has. */
    static NodePublishVolumeRequest withoutTokens(NodePublishVolumeRequest request) {
        Map<String, String> context = new HashMap<>(request.volumeContext().asMap());
        Map<String, String> secrets = new HashMap<>(request.secrets().asMap());
        boolean none = context.remove(TOKENS) == null;
        if (secrets.remove(TOKENS) == null && none) {
            return request;
        }
        NodePublishVolumeRequest.Builder copy = NodePublishVolumeRequest.builder(
                        request.volumeId(), request.targetPath(), request.volumeCapability())
                .publishContext(request.publishContext())
                .volumeContext(VolumeContext.of(context))
                .secrets(Secrets.of(secrets))
                .readonly(request.readonly());
        request.stagingTargetPath().ifPresent(copy::stagingTargetPath);
        return copy.build();
    }

    private void checkTokens(NodePublishVolumeRequest request, AllocationId allocationId, RepublishOptions options) {
        String path = request.targetPath();
        String secret = request.secrets().asMap().get(TOKENS);
        String context = request.volumeContext().asMap().get(TOKENS);
        boolean secrets = options.delivery() == RepublishOptions.Delivery.SECRETS;
        if ((secret != null) != (options.hasTokens() && secrets)
                || (context != null) != (options.hasTokens() && !secrets)) {
            world.reportViolation("I16: a target is published with tokens in the wrong fields: " + path);
            return;
        }
        String json = secrets ? secret : context;
        if (json == null) {
            return;
        }
        world.coverage().operation("publish with tokens");
        Set<String> used = new HashSet<>();
        for (String audience : options.audiences()) {
            Matcher entry = Pattern.compile(Pattern.quote("\"" + audience + "\":{\"token\":\"") + "([^\"]*)\"")
                    .matcher(json);
            Issued token = entry.find() ? issued.get(entry.group(1)) : null;
            if (token == null
                    || !token.audience.equals(audience)
                    || !token.volume.equals(request.volumeId())
                    || !token.allocationId.equals(allocationId)) {
                world.reportViolation("I16: a target is published with a token for another purpose: " + path);
                return;
            }
            if (token.used) {
                world.reportViolation("I16: a target is published with a former token: " + path);
                return;
            }
            if (token.expires.compareTo(now()) <= 0 && token.clockAhead == clockAhead()) {
                world.reportViolation("I16: a target is published with a token that ran out: " + path);
                return;
            }
            used.add(entry.group(1));
        }
        used.forEach(token -> issued.computeIfPresent(token, (name, one) -> {
            one.used = true;
            return one;
        }));
    }

    /** Records that an agent learned that a NodePublishVolume succeeded. */
    void published(SimProcess agent, SimNode.Mount mount, String path, RepublishOptions options) {
        if (!options.repeats() || kernel.published(path) == null) {
            return;
        }
        Target target = targets.computeIfAbsent(path, unused -> new Target());
        int success = ++target.successes;
        if (success > 1) {
            world.coverage().operation("publish a mounted volume again");
        }
        Duration answered = now();
        String seen = kernel.entry(path);
        world.scheduler().after(STORED, () -> stored(agent, path, target, seen, answered));
        Duration limit = options.hasTokens()
                ? LIFE
                : options.interval().plus(options.interval().dividedBy(5)).plus(STARTED);
        long ahead = clockAhead();
        world.scheduler().after(limit, () -> {
            boolean renewed = target.successes > success || targets.get(path) != target || ahead != clockAhead();
            if (!renewed && kernel.isInUse(mount, path) && !target.changed && couldRenew(answered)) {
                world.reportViolation("I16: a mounted volume is not published again in time: " + path);
            }
        });
    }

    /** Whether nothing has kept the agent from calls since a time or, if it started later, since its start. */
    private boolean couldRenew(Duration since) {
        SimProcess agent = kernel.agent();
        Duration from = kernel.agentReady();
        if (agent == null || from == null || !agent.alive() || inFlight.getOrDefault(agent, 0) > 0) {
            return false;
        }
        boolean restarted = from.compareTo(since) > 0;
        return restarted
                ? disturbed.compareTo(from) <= 0 && from.plus(STARTED).compareTo(now()) < 0
                : disturbed.compareTo(since) <= 0;
    }

    private void stored(SimProcess agent, String path, Target target, String seen, Duration answered) {
        if (!agent.alive() || targets.get(path) != target || tableFailed.compareTo(answered) >= 0) {
            return;
        }
        if (target.stored.isEmpty()) {
            target.stored = seen;
        } else if (!target.stored.equals(seen)) {
            target.changed = true;
        }
    }

    /** Returns whether an agent has stored that the plugin changed the mount at a target. */
    boolean knowsChange(String path) {
        Target target = targets.get(path);
        return target != null && target.changed;
    }

    /** Lets some plugins replace or remove a mount when they publish it again. */
    void changeMount(SimNode.Mount mount, String path, RepublishOptions options) {
        if (!options.repeats() || !world.faults().active() || world.scheduler().choose(CHANGES) > 0) {
            return;
        }
        if (world.faults().coin()) {
            world.coverage().fault("mount replaced by its plugin");
            kernel.remount(path);
        } else {
            world.coverage().fault("mount removed by its plugin");
            kernel.loseMount(path);
            kernel.node().unpublish(mount, path);
        }
        world.trace().note(kernel.node().id.value(), "the plugin changes the mount at " + path);
    }
}

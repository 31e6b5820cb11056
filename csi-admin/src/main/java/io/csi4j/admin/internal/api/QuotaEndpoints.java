package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.QuotaQuery;
import io.csi4j.core.lifecycle.QuotaView;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.VolumeQuota;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The limits for the volumes of namespaces. */
public final class QuotaEndpoints {
    private static final String MANAGEMENT = "MANAGEMENT";
    private static final String PATH = "/v1/quotas/{namespace}";

    private static final Parameter NAMESPACE = Parameter.path("namespace", "The namespace.");
    private static final String ONLY_CLASS = "The class, for a quota of its volumes only; it need not exist.";
    private static final Parameter CLASS = Filters.text("class", ONLY_CLASS);

    private static final Shape<QuotaUse.Amount> AMOUNT = Shape.<QuotaUse.Amount>of(
                    "QuotaAmount", "A number of volumes with their size.")
            .number("volumes", "The number of volumes.", QuotaUse.Amount::volumes)
            .number("bytes", "The sum of their bytes.", QuotaUse.Amount::bytes)
            .build();

    private static final Shape<QuotaView> SHAPE = Shape.<QuotaView>of(
                    "Quota", "What the volumes of a namespace, or of a class in it, may use, and what they use.")
            .text("namespace", "The namespace.", view -> view.key().namespace().value())
            .column()
            .text(
                    "class",
                    "The class; absent if the quota counts all volumes of the namespace.",
                    view -> view.key().className().map(VolumeClassName::value).orElse(null))
            .optional()
            .column()
            .number(
                    "usedVolumes",
                    "The number of volumes, also of those that are being deleted.",
                    view -> view.use().volumes())
            .column("VOLUMES")
            .number("volumes", "The greatest number of volumes; absent for no limit.", view -> number(view.volumes()))
            .optional()
            .column("LIMIT")
            .number(
                    "usedBytes",
                    "The bytes that count: of each volume the greatest of what was asked for and what the provider"
                            + " reported.",
                    view -> view.use().bytes())
            .column("BYTES")
            .number("bytes", "The greatest number of bytes; absent for no limit.", view -> number(view.bytes()))
            .optional()
            .column("LIMIT")
            .flag(
                    "over",
                    "Whether the use is over a limit, because the limit was set below it or the provider made a volume"
                            + " larger than it was asked for.",
                    QuotaView::over)
            .column()
            .object(
                    "ready",
                    "The volumes that exist.",
                    AMOUNT,
                    view -> view.use().ready())
            .object(
                    "creating",
                    "The volumes that are being created.",
                    AMOUNT,
                    view -> view.use().creating())
            .object(
                    "deleting",
                    "The volumes that are being deleted.",
                    AMOUNT,
                    view -> view.use().deleting())
            .object(
                    "withdrawn",
                    "The creations that were given up, and may have made a volume.",
                    AMOUNT,
                    view -> view.use().withdrawn())
            .number("createIndex", "The index of the command that added it.", QuotaView::createIndex)
            .number("modifyIndex", "The index of the last command that changed it.", QuotaView::modifyIndex)
            .build();

    private QuotaEndpoints() {}

    private static @Nullable Long number(OptionalLong limit) {
        return limit.isPresent() ? limit.getAsLong() : null;
    }

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(list(), status(), put(), remove());
    }

    private static Endpoint list() {
        return Endpoint.get("quota list", "/v1/quotas", "List the quotas of namespaces, with what is used")
                .with(Filters.text("namespace", "Only quotas of this namespace."))
                .needs("VOLUME_LIST in the namespace; without a namespace MANAGEMENT")
                .waitsForAny(call -> List.of(
                        StateScope.of(StateScope.Table.QUOTAS),
                        call.values()
                                .maybe("namespace", Namespace::of)
                                .map(namespace -> StateScope.volumes(namespace, ""))
                                .orElse(StateScope.of(StateScope.Table.VOLUMES))))
                .pages(
                        SHAPE,
                        (call, after, limit) -> Futures.map(
                                call.operations()
                                        .quotas()
                                        .list(new QuotaQuery(
                                                call.values().maybe("namespace", Namespace::of),
                                                after.map(QuotaEndpoints::position),
                                                limit)),
                                page -> Page.of(page, QuotaEndpoints::position)));
    }

    private static String position(QuotaKey key) {
        return URLEncoder.encode(key.namespace().value(), StandardCharsets.UTF_8)
                + '/'
                + URLEncoder.encode(key.className().map(VolumeClassName::value).orElse(""), StandardCharsets.UTF_8);
    }

    private static QuotaKey position(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("a position in the list of quotas has a slash");
        }
        String className = URLDecoder.decode(text.substring(slash + 1), StandardCharsets.UTF_8);
        return new QuotaKey(
                Namespace.of(URLDecoder.decode(text.substring(0, slash), StandardCharsets.UTF_8)),
                className.isEmpty() ? Optional.empty() : Optional.of(VolumeClassName.of(className)));
    }

    private static Endpoint status() {
        return Endpoint.get("quota status", PATH, "Show a quota with what is used")
                .with(NAMESPACE, CLASS)
                .needs("VOLUME_LIST in the namespace")
                .one(SHAPE, call -> Futures.map(call.operations().quotas().get(key(call.values())), Optional::of));
    }

    private static Endpoint put() {
        return Endpoint.put("quota put", PATH, "Add a quota of a namespace, or replace its limits")
                .description(
                        "A limit below the use takes nothing away: requests that raise the use are refused until it"
                                + " is below the limit. The request replaces both limits.")
                .with(
                        NAMESPACE,
                        Parameter.body("class", Parameter.Type.TEXT, ONLY_CLASS),
                        Parameter.body(
                                "volumes",
                                Parameter.Type.NUMBER,
                                "The greatest number of volumes; no limit if not given."),
                        Parameter.body(
                                "bytes",
                                Parameter.Type.BYTES,
                                "The greatest sum of the bytes of the volumes; no limit if not given."),
                        Parameter.body(
                                "ifModifyIndex",
                                Parameter.Type.NUMBER,
                                "Refuses the request unless this is the modifyIndex of the quota."))
                .needs(MANAGEMENT)
                .action(call -> {
                    long index = call.values().number("ifModifyIndex").orElse(0);
                    if (index < 0) {
                        throw new BadRequestException(
                                "ifModifyIndex", "is " + index, "use the modifyIndex of the quota");
                    }
                    return call.operations()
                            .quotas()
                            .put(
                                    new VolumeQuota(
                                            key(call.values()),
                                            call.values().number("volumes"),
                                            call.values().number("bytes")),
                                    index);
                });
    }

    private static Endpoint remove() {
        return Endpoint.delete("quota remove", PATH, "Remove a quota of a namespace")
                .description("The volumes stay, and have no limit then.")
                .with(NAMESPACE, CLASS)
                .needs(MANAGEMENT)
                .destroys()
                .action(call -> call.operations().quotas().remove(key(call.values())));
    }

    private static QuotaKey key(Values values) {
        return new QuotaKey(values.parsed("namespace", Namespace::of), values.maybe("class", VolumeClassName::of));
    }
}

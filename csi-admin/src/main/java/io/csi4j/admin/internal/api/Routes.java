package io.csi4j.admin.internal.api;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Finds the endpoint of a request. Names in a path that stand for themselves come before parameters. */
final class Routes {
    private final Node root = new Node();

    Routes(List<Endpoint> endpoints) {
        endpoints.forEach(this::add);
    }

    /** A part of the paths: the endpoints that end here, and what may follow. */
    private static final class Node {
        private final Map<String, Endpoint> methods = new HashMap<>();
        private final Map<String, Node> names = new HashMap<>();
        private Optional<Node> parameter = Optional.empty();
    }

    private void add(Endpoint endpoint) {
        Node node = root;
        for (String part : parts(endpoint)) {
            if (part.startsWith("{")) {
                Node next = node.parameter.orElseGet(Node::new);
                node.parameter = Optional.of(next);
                node = next;
            } else {
                node = node.names.computeIfAbsent(part, name -> new Node());
            }
        }
        if (node.methods.put(endpoint.method(), endpoint) != null) {
            throw new IllegalArgumentException("two endpoints have " + endpoint.method() + " " + endpoint.path());
        }
    }

    static List<String> parts(Endpoint endpoint) {
        return List.of(endpoint.path().substring(1).split("/", -1));
    }

    /** Returns the endpoints of a path, by their methods; none if no endpoint has the path. */
    Map<String, Endpoint> find(List<String> path) {
        return find(root, path);
    }

    private static Map<String, Endpoint> find(Node node, List<String> path) {
        if (path.isEmpty()) {
            return node.methods;
        }
        List<String> rest = path.subList(1, path.size());
        Node named = node.names.get(path.get(0));
        Map<String, Endpoint> found = named == null ? Map.of() : find(named, rest);
        if (found.isEmpty() && node.parameter.isPresent() && !path.get(0).isEmpty()) {
            return find(node.parameter.get(), rest);
        }
        return found;
    }

    /** Returns the parameters in the path of a request. */
    static Map<String, String> parameters(Endpoint endpoint, List<String> path) {
        Map<String, String> values = new HashMap<>();
        List<String> parts = parts(endpoint);
        for (int i = 0; i < parts.size(); i++) {
            String part = parts.get(i);
            if (part.startsWith("{")) {
                values.put(part.substring(1, part.length() - 1), path.get(i));
            }
        }
        return values;
    }

    /** Returns the methods, for a header. */
    static String allowed(Map<String, Endpoint> endpoints) {
        Set<String> methods = new TreeSet<>(endpoints.keySet());
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        return String.join(", ", methods);
    }
}

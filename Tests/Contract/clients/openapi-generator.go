// A session through the client that openapi-generator makes for Go: go run . URL
package main

import (
	"context"
	"os"

	bindery "bindery/client"
)

func main() {
	configuration := bindery.NewConfiguration()
	configuration.Servers = bindery.ServerConfigurations{{URL: os.Args[1]}}
	client := bindery.NewAPIClient(configuration)
	begun, _, err := client.SessionsAPI.BeginSession(context.Background()).Execute()
	check(err == nil, "a session begins")
	own := context.WithValue(context.Background(), bindery.ContextAccessToken, begun.Token)

	index, _, err := client.ServiceAPI.ShowIndex(own).Execute()
	check(err == nil && index.ViewModels[0].Path == "/counter", "the index leads to the view models")
	_, response, err := client.CounterAPI.DecrementCounter(own).Execute()
	check(err != nil && response.StatusCode == 409, "decrement is disabled")
	problem, isProblem := err.(*bindery.GenericOpenAPIError).Model().(bindery.Problem)
	check(isProblem && problem.Type == "/problems/action-disabled", "the refusal is a problem")
	counter, response, err := client.CounterAPI.IncrementCounter(own).IdempotencyKey("once").Execute()
	check(err == nil && counter.Text == "1", "increment counts")
	etag := response.Header.Get("ETag")
	counter, _, err = client.CounterAPI.IncrementCounter(own).IdempotencyKey("once").Execute()
	check(err == nil && counter.Text == "1", "increment counts once for a key")
	body := bindery.ValidateLoginRequest{}
	body.SetId("taro")
	body.SetPassword("himitsu")
	login, _, err := client.LoginAPI.ValidateLogin(own).ValidateLoginRequest(body).Execute()
	check(err == nil && login.GetColor() == "green", "login is validated")

	delta, _, err := client.ChangesAPI.GetChanges(own).Since(begun.Cursor).Topics([]string{"counter"}).Execute()
	check(err == nil && delta.Kind == "delta" && len(delta.Changes) == 3, "the changes are told")
	check(delta.Changes[0].Value == "1" && delta.Changes[0].Seq == 1, "the first is the text")
	both, _, err := client.ChangesAPI.GetChanges(own).Since(begun.Cursor).Topics([]string{"counter", "login"}).Execute()
	check(err == nil && len(both.Changes) == 5 && both.Changes[4].ViewModel == "login", "two topics are told together")
	idle, _, err := client.ChangesAPI.GetChanges(own).Since(delta.Cursor).Wait(0).Execute()
	check(err == nil && idle.Kind == "idle" && len(idle.Changes) == 0, "nothing more has changed")
	after, _, err := client.ChangesAPI.GetChanges(own).Since(etag).Wait(0).Execute()
	check(err == nil && after.Changes[0].ViewModel == "login", "the ETag is a cursor")

	_, err = client.SessionsAPI.EndSession(own).Execute()
	check(err == nil, "the session ends")
	_, response, _ = client.CounterAPI.GetCounter(own).Execute()
	check(response.StatusCode == 401, "the session has ended")
}

func check(isTrue bool, sentence string) {
	if !isTrue {
		panic("not so: " + sentence)
	}
}
